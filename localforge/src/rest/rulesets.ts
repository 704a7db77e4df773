import type { RestEndpointMethodTypes } from '@octokit/rest';
import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import { bypasses, rulesetsFor } from '../gate.ts';
import { nodeId } from '../node-id.ts';
import type { RepositoryRecord, RulesetRecord } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import type { Viewer } from '../viewer.ts';

type Ruleset = RestEndpointMethodTypes['repos']['getRepoRuleset']['response']['data'];

const METADATA = { app: [], user: 'read' } as const;
const WRITE = { app: ['administration:write'], user: 'admin' } as const;

const RULE_TYPES = [
  'creation',
  'update',
  'deletion',
  'required_linear_history',
  'required_deployments',
  'required_signatures',
  'pull_request',
  'non_fast_forward',
  'merge_queue',
] as const;

/** GitHub takes this rule only with its parameters: the checks, each with the App that it must be of, if any. */
const statusChecks = z.object({
  type: z.literal('required_status_checks'),
  parameters: z.object({
    required_status_checks: z.array(
      z.object({ context: z.string().min(1), integration_id: z.int().optional() }),
    ),
    strict_required_status_checks_policy: z.boolean(),
    do_not_enforce_on_create: z.boolean().optional(),
  }),
});

const createBody = z.object({
  name: z.string().min(1),
  target: z.enum(['branch', 'tag', 'push']).default('branch'),
  enforcement: z.enum(['disabled', 'active', 'evaluate']),
  bypass_actors: z
    .array(
      z.object({
        actor_id: z.number().nullish(),
        actor_type: z.enum(['Integration', 'OrganizationAdmin', 'RepositoryRole', 'Team', 'DeployKey']),
        bypass_mode: z.enum(['always', 'pull_request', 'exempt']).default('always'),
      }),
    )
    .default([]),
  conditions: z
    .object({
      ref_name: z
        .object({ include: z.array(z.string()).default([]), exclude: z.array(z.string()).default([]) })
        .optional(),
    })
    .optional(),
  rules: z
    .array(
      z.union([
        statusChecks,
        z.object({ type: z.enum(RULE_TYPES), parameters: z.record(z.string(), z.unknown()).optional() }),
      ]),
    )
    .default([]),
});
const updateBody = createBody.partial();

/** `/rulesets` and `/rules/branches/{branch}`. */
export function addRulesetRoutes(context: ForgeContext, router: Router): void {
  const { rulesets } = context.records;
  router.repo('GET', '/rulesets', METADATA, (request) =>
    paginated(request, rulesets.find('repository', [request.repository.id]), (ruleset) => {
      const { rules: _rules, conditions: _conditions, ...short } = shapeOf(context, request, ruleset);
      return short;
    }),
  );
  router.repo('POST', '/rulesets', WRITE, (request) => {
    const body = bodyOf(request, createBody);
    const now = context.now();
    const same = rulesets.find('repository', [request.repository.id]).some((one) => one.name === body.name);
    if (same)
      throw invalid({
        resource: 'Ruleset',
        field: 'name',
        code: 'already_exists',
        message: 'Name must be unique',
      });
    const record = rulesets.insert({
      repositoryId: request.repository.id,
      createdAt: now,
      ...fieldsOf(body, now),
    } as Omit<RulesetRecord, 'id'>);
    return created(shapeOf(context, request, record));
  });
  router.repo('GET', '/rulesets/:id', METADATA, (request) =>
    ok(shapeOf(context, request, rulesetAt(context, request))),
  );
  router.repo('PUT', '/rulesets/:id', WRITE, (request) => {
    const present = rulesetAt(context, request);
    const given = bodyOf(request, updateBody);
    // Without the defaults of creation: what is not named stays.
    const names = Object.keys(request.body ?? {});
    const known = Object.fromEntries(Object.entries(given).filter(([key]) => names.includes(key)));
    return ok(shapeOf(context, request, rulesets.update(present.id, fieldsOf(known, context.now()))));
  });
  router.repo('DELETE', '/rulesets/:id', WRITE, (request) => {
    rulesets.remove(rulesetAt(context, request).id);
    return noContent();
  });
  router.repo('GET', '/rules/branches/:branch{.+}', METADATA, (request) => {
    const rules = rulesetsFor(context, request.repository, `refs/heads/${request.param('branch')}`).flatMap(
      (ruleset) =>
        ruleset.rules.map((rule) => ({
          ...rule,
          ruleset_source_type: 'Repository',
          ruleset_source: context.urls.fullName(request.repository),
          ruleset_id: ruleset.id,
        })),
    );
    return paginated(request, rules, (rule) => rule);
  });
}

function rulesetAt(context: ForgeContext, request: RepositoryRequest): RulesetRecord {
  const found = context.records.rulesets.get(Number(request.param('id')) || 0);
  if (found?.repositoryId !== request.repository.id) throw notFound();
  return found;
}

/** REST's words → the record's; only what was given. */
function fieldsOf(body: z.output<typeof updateBody>, now: string): Partial<Omit<RulesetRecord, 'id'>> {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.target === undefined ? {} : { target: body.target }),
    ...(body.enforcement === undefined ? {} : { enforcement: body.enforcement }),
    ...(body.bypass_actors === undefined
      ? {}
      : {
          bypassActors: body.bypass_actors.map((actor) => ({
            actorId: actor.actor_id ?? null,
            actorType: actor.actor_type,
            bypassMode: actor.bypass_mode,
          })),
        }),
    ...(body.conditions === undefined && body.target === undefined
      ? {}
      : {
          include: body.conditions?.ref_name?.include ?? [],
          exclude: body.conditions?.ref_name?.exclude ?? [],
        }),
    ...(body.rules === undefined
      ? {}
      : {
          rules: body.rules.map((rule) => ({
            type: rule.type,
            ...(rule.parameters === undefined ? {} : { parameters: rule.parameters }),
          })),
        }),
    updatedAt: now,
  };
}

function shapeOf(context: ForgeContext, request: RepositoryRequest, ruleset: RulesetRecord): Ruleset {
  const { repository } = request;
  return {
    id: ruleset.id,
    name: ruleset.name,
    target: ruleset.target,
    source_type: 'Repository',
    source: context.urls.fullName(repository),
    enforcement: ruleset.enforcement,
    bypass_actors: ruleset.bypassActors.map((actor) => ({
      actor_id: actor.actorId,
      actor_type: actor.actorType,
      bypass_mode: actor.bypassMode,
    })) as NonNullable<Ruleset['bypass_actors']>,
    current_user_can_bypass: canBypass(context, repository, ruleset, request.viewer) ? 'always' : 'never',
    node_id: nodeId('RepositoryRuleset', ruleset.id),
    _links: {
      self: { href: context.urls.repoApi(repository, `/rulesets/${ruleset.id}`) },
      html: { href: context.urls.repoWeb(repository, `/rules/${ruleset.id}`) },
    },
    conditions: { ref_name: { include: [...ruleset.include], exclude: [...ruleset.exclude] } },
    rules: ruleset.rules as NonNullable<Ruleset['rules']>,
    created_at: ruleset.createdAt,
    updated_at: ruleset.updatedAt,
  };
}

const canBypass = (
  context: ForgeContext,
  repository: RepositoryRecord,
  ruleset: RulesetRecord,
  viewer: Viewer,
): boolean =>
  (viewer.kind === 'user' || viewer.kind === 'installation') &&
  bypasses({ context, repository, ruleset, actor: viewer });

/** Judges requests, replies and webhooks by GitHub's own descriptions. */
import { readFileSync } from 'node:fs';

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

export interface Exchange {
  readonly method: string;
  /** Path without prefix and query, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly requestBody: unknown;
  readonly status: number;
  /** Parsed JSON, undefined where the reply was something else. */
  readonly replyBody: unknown;
}

export interface Problem {
  readonly kind: 'request' | 'reply' | 'webhook';
  /** `GET /repos/{owner}/{repo}`, or the event and action of a webhook. */
  readonly operation: string;
  readonly problem: string;
}

export interface Judgement {
  /** Undefined where GitHub has no such operation in the extract. */
  readonly operation: string | undefined;
  readonly problems: readonly Problem[];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly bodyRequired?: boolean;
  readonly body?: Schema;
  readonly replies: Readonly<Record<string, Schema | null>>;
}

interface RestExtract {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

interface WebhookExtract {
  readonly webhooks: Readonly<Record<string, Schema>>;
}

/** Statuses any operation may answer, whether its description lists them or not. */
const ALWAYS = new Set([301, 304, 307, 400, 401, 403, 404, 410, 413, 415, 422, 429, 500, 502, 503]);

/** Parameters whose value may hold slashes. */
const WITH_SLASHES = new Set(['path', 'ref', 'branch', 'basehead', 'tag', 'name']);

const rest = read('github-openapi.json') as RestExtract;
const webhooks = read('github-openapi-webhooks.json') as WebhookExtract;
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, inlineRefs: false });
ajv.addSchema(webhooks, 'webhooks');
const compiled = new Map<string, ValidateFunction>();
const github: Description = described('rest', rest);

/** Every operation of the extract, as `METHOD /path`. */
export const operations: readonly string[] = Object.keys(rest.operations);

/** Every webhook of the extract, as `event.action` or `event`. */
export const webhookNames: readonly string[] = Object.keys(webhooks.webhooks);

/** Judges one request and the reply to it. */
export function judgeExchange(exchange: Exchange): Judgement {
  const { operation: name, problems } = judgeRequest(github, exchange);
  if (name === undefined) {
    const operation = `${exchange.method} ${exchange.path}`;
    return {
      operation: undefined,
      problems: [{ kind: 'request', operation, problem: 'GitHub has no such operation in the extract' }],
    };
  }
  const reply =
    exchange.method === 'HEAD'
      ? []
      : replyProblems(name, rest.operations[name]!, exchange).map((problem) => ({
          kind: 'reply' as const,
          operation: name,
          problem,
        }));
  return { operation: name, problems: [...problems, ...reply] };
}

/** What one forge takes, ready to judge by. */
export interface Description {
  readonly key: string;
  readonly extract: Pick<RestExtract, 'operations' | 'schemas'>;
  readonly routes: readonly Route[];
}

/** Makes a description ready; each needs a key of its own. */
export function described(key: string, extract: Description['extract']): Description {
  ajv.addSchema(extract, key);
  return { key, extract, routes: Object.keys(extract.operations).map(routeOf).sort(bySpecificity) };
}

/** Judges a request alone. */
export function judgeRequest(
  forge: Description,
  exchange: Omit<Exchange, 'status' | 'replyBody'>,
): Judgement {
  const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
  const route = forge.routes.find((each) => each.method === method && each.pattern.test(exchange.path));
  if (route === undefined) return { operation: undefined, problems: [] };
  const operation = forge.extract.operations[route.name]!;
  const values = route.pattern.exec(exchange.path)?.groups ?? {};
  const problems = [
    ...pathProblems(operation, values),
    ...queryProblems(operation, exchange.query),
    ...bodyProblems(forge, route.name, operation, exchange.requestBody),
  ].map((problem) => ({ kind: 'request' as const, operation: route.name, problem }));
  return { operation: route.name, problems };
}

/** Judges the payload of one webhook. */
export function judgeWebhook(event: string, payload: unknown): Judgement {
  const action = (payload as { action?: unknown }).action;
  const name = typeof action === 'string' ? `${event}.${action}` : event;
  if (!(name in webhooks.webhooks)) {
    return {
      operation: undefined,
      problems: [
        { kind: 'webhook', operation: name, problem: 'GitHub sends no such webhook in the extract' },
      ],
    };
  }
  const problems = failures(`webhooks#/webhooks/${pointer(name)}`, payload);
  return {
    operation: name,
    problems: problems.map((problem) => ({ kind: 'webhook', operation: name, problem })),
  };
}

function pathProblems(operation: Operation, values: Readonly<Record<string, string>>): string[] {
  return operation.parameters
    .filter((parameter) => parameter.in === 'path' && typesOf(parameter.schema).includes('integer'))
    .filter((parameter) => !/^\d+$/.test(values[parameter.name] ?? ''))
    .map((parameter) => `path parameter ${parameter.name} is not an integer`);
}

function queryProblems(operation: Operation, query: URLSearchParams): string[] {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query');
  const problems = [...new Set(query.keys())]
    .filter((name) => !known.some((parameter) => parameter.name === name))
    .map((name) => `query parameter ${name} is unknown`);
  for (const { name, required, schema } of known) {
    const text = query.get(name);
    if (text === null) {
      if (required === true) problems.push(`query parameter ${name} is missing`);
      continue;
    }
    const validate = ajv.compile({ ...schema });
    if (!candidates(schema, text).some((value) => validate(value))) {
      problems.push(`query parameter ${name} may not be ${JSON.stringify(text)}`);
    }
  }
  return problems;
}

function candidates(schema: Schema, text: string): unknown[] {
  const values: unknown[] = [text];
  if (/^-?\d+$/.test(text)) values.push(Number(text));
  if (text === 'true' || text === 'false') values.push(text === 'true');
  if (typesOf(schema).includes('array')) values.push(text.split(','));
  return values;
}

function bodyProblems(forge: Description, name: string, operation: Operation, body: unknown): string[] {
  if (operation.body === undefined) {
    const empty = body === undefined || body === null || Object.keys(body).length === 0;
    return empty ? [] : ['a body is sent where GitHub takes none'];
  }
  if (body === undefined || body === null) {
    return operation.bodyRequired === true ? ['the body is missing'] : [];
  }
  const unknown = unknownKeys(forge, operation.body, body).map((key) => `body member ${key} is unknown`);
  return [...failures(`${forge.key}#/operations/${pointer(name)}/body`, body), ...unknown];
}

function unknownKeys(forge: Description, schema: Schema, body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const known = knownKeys(forge, schema);
  return known === undefined ? [] : Object.keys(body).filter((key) => !known.has(key));
}

/** The names of members that an object may have, undefined where any is allowed. */
function knownKeys(forge: Description, schema: Schema): Set<string> | undefined {
  const target =
    schema.$ref === undefined ? schema : forge.extract.schemas[schema.$ref.slice('#/schemas/'.length)]!;
  if (target.additionalProperties !== undefined && target.additionalProperties !== false) return undefined;
  const keys = new Set(Object.keys(target.properties ?? {}));
  for (const part of [...(target.anyOf ?? []), ...(target.allOf ?? [])]) {
    const more = knownKeys(forge, part);
    if (more === undefined) continue;
    for (const key of more) keys.add(key);
  }
  return keys.size === 0 ? undefined : keys;
}

function replyProblems(name: string, operation: Operation, exchange: Exchange): string[] {
  const { status, replyBody } = exchange;
  const schema = operation.replies[String(status)];
  if (schema === undefined) {
    if (!ALWAYS.has(status)) return [`status ${status} is not described`];
    return status === 304 ? [] : failures('rest#/schemas/basic-error', replyBody);
  }
  if (schema === null) return [];
  if (replyBody === undefined) return [`the reply with status ${status} is not JSON`];
  return failures(`rest#/operations/${pointer(name)}/replies/${status}`, replyBody).map(
    (problem) => `${status}: ${problem}`,
  );
}

function failures(ref: string, value: unknown): string[] {
  let validate = compiled.get(ref);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: ref });
    compiled.set(ref, validate);
  }
  return validate(value) ? [] : [...new Set((validate.errors ?? []).map(sentence))].slice(0, 8);
}

function sentence(error: ErrorObject): string {
  const place = error.instancePath.replaceAll(/\/\d+(?=\/|$)/g, '/*');
  const detail =
    error.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : '';
  return `${place === '' ? '/' : place} ${error.message ?? error.keyword}${detail}`;
}

interface Route {
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly literals: number;
}

function routeOf(name: string): Route {
  const [method = '', path = ''] = name.split(' ');
  const source = path
    .replaceAll(/[.]/g, '\\.')
    .replaceAll(/\{(\w+)\}/g, (_, key: string) => `(?<${key}>${WITH_SLASHES.has(key) ? '.*' : '[^/]+'})`);
  const literals = path.replaceAll(/\{\w+\}/g, '').length;
  return { name, method, pattern: new RegExp(`^${source}$`), literals };
}

function bySpecificity(a: { literals: number }, b: { literals: number }): number {
  return b.literals - a.literals;
}

function typesOf(schema: Schema): readonly string[] {
  const own = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return [...own, ...(schema.anyOf ?? []).flatMap(typesOf)];
}

function pointer(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

/** What a variant asks for, given the package revisions that there are. */
import { isPlaceholder, upstreamOfVariant, type PackageRevision } from './package-revision.ts';
import { namespaceOf, type ValidVariant, type VariantUpstream } from './variant-types.ts';

/** A change of a revision that stands. */
export type RevisionAction =
  | { readonly action: 'delete'; readonly name: string }
  | {
      readonly action: 'update';
      readonly name: string;
      /** The revision afterwards. */
      readonly after: PackageRevision;
    };

export interface Downstreams {
  /** Revisions that the variant works on: its drafts, or else its newest published revision; none: it makes one. */
  readonly targets: readonly PackageRevision[];
  readonly actions: readonly RevisionAction[];
}

export type UpToDate =
  | { readonly upToDate: true }
  | {
      readonly upToDate: false;
      /** Why nobody can tell; absent: it is behind. */
      readonly message?: string;
    };

/** How one downstream comes to its upstream. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'stalled'; readonly message: string }
  | { readonly kind: 'clone'; readonly workspaceName: string; readonly upstream: PackageRevision }
  /** A new draft on top of what is published. */
  | {
      readonly kind: 'upgrade';
      readonly workspaceName: string;
      readonly old: PackageRevision;
      readonly upstream: PackageRevision;
      readonly local: PackageRevision;
    }
  /** The draft that is open goes on to the newer upstream. */
  | {
      readonly kind: 'update-in-place';
      readonly target: PackageRevision;
      readonly old: PackageRevision;
      readonly upstream: PackageRevision;
    };

export type Decision =
  | { readonly ok: false; readonly message: string }
  | {
      readonly ok: true;
      readonly upstream: PackageRevision;
      readonly downstreams: Downstreams;
      /** One for each target, or the one that makes the first. */
      readonly steps: readonly Step[];
    };

/** What the variant does now. Doing it, and asking again, asks for nothing. */
export function decideVariant(variant: ValidVariant, revisions: readonly PackageRevision[]): Decision {
  const namespace = namespaceOf(variant.metadata);
  const { upstream: wanted } = variant.spec;
  const upstream = upstreamOfVariant(revisions, wanted, namespace);
  if (upstream === undefined) return { ok: false, message: notFound(wanted) };
  const downstreams = downstreamsOf(variant, revisions);
  const workspaceName = newWorkspaceName(variant, revisions);
  const steps =
    downstreams.targets.length === 0
      ? [{ kind: 'clone', workspaceName, upstream } as const]
      : downstreams.targets.map((target) => stepOf({ variant, target, upstream, workspaceName, revisions }));
  return { ok: true, upstream, downstreams, steps };
}

function notFound({ package: path, revision, workspaceName, repo }: VariantUpstream): string {
  const named = workspaceName ?? (revision === undefined ? 'main' : String(revision));
  return `could not find upstream package revision '${path}/${named}' in repo '${repo}'`;
}

/**
 * The revisions that the variant works on, and what becomes of the others that are its own. Nobody else's revision is
 * taken over unless the variant adopts.
 */
function downstreamsOf(variant: ValidVariant, revisions: readonly PackageRevision[]): Downstreams {
  const { metadata, spec } = variant;
  const uid = metadata.uid ?? '';
  const actions: RevisionAction[] = [];
  const own: PackageRevision[] = [];
  for (const revision of revisions) {
    const here = revision.repository === spec.downstream.repo && revision.package === spec.downstream.package;
    const owned = revision.metadata.owners.some((owner) => owner.uid === uid);
    if (owned && here) own.push(revision);
    else if (owned) actions.push(...lettingGo(variant, revision));
    else if (here && spec.adoptionPolicy === 'adoptExisting') {
      const after = adopted(variant, revision);
      actions.push({ action: 'update', name: revision.metadata.name, after });
      own.push(after);
    }
  }
  const drafts = own.filter((one) => !isPublished(one));
  const newest = own
    .filter((one) => !isPlaceholder(one))
    .reduce<PackageRevision | undefined>(
      (best, one) => (best === undefined || isNewer(one, best) ? one : best),
      undefined,
    );
  const chosen = drafts.length > 0 ? drafts : [newest].filter((one) => one !== undefined);
  const targets = chosen.map((target) => {
    if (target.lifecycle !== 'DeletionProposed') return target;
    const after: PackageRevision = { ...target, lifecycle: 'Published' };
    actions.push({ action: 'update', name: target.metadata.name, after });
    return after;
  });
  return { targets, actions };
}

function isPublished({ lifecycle }: PackageRevision): boolean {
  return lifecycle === 'Published' || lifecycle === 'DeletionProposed';
}

/** By number; those without one by their names, so that v2.10.0 is newer than v2.9.0. */
function isNewer(a: PackageRevision, b: PackageRevision): boolean {
  if (a.revision !== b.revision) return a.revision > b.revision;
  return a.workspaceName.localeCompare(b.workspaceName, 'en', { numeric: true }) > 0;
}

/** What becomes of a revision that the variant does not want any more: the deletion policy's business. */
function lettingGo(variant: ValidVariant, revision: PackageRevision): RevisionAction[] {
  const { name } = revision.metadata;
  if (variant.spec.deletionPolicy === 'orphan') {
    const owners = revision.metadata.owners.filter(({ uid }) => uid !== variant.metadata.uid);
    return [{ action: 'update', name, after: { ...revision, metadata: { ...revision.metadata, owners } } }];
  }
  switch (revision.lifecycle) {
    case 'Published':
      return [{ action: 'update', name, after: { ...revision, lifecycle: 'DeletionProposed' } }];
    case 'DeletionProposed':
      return [];
    // Also one that says nothing of its lifecycle.
    default:
      return [{ action: 'delete', name }];
  }
}

function adopted({ metadata, spec }: ValidVariant, revision: PackageRevision): PackageRevision {
  const { labels, annotations, owners } = revision.metadata;
  return {
    ...revision,
    metadata: {
      ...revision.metadata,
      labels: { ...labels, ...spec.labels },
      annotations: { ...annotations, ...spec.annotations },
      owners: [...owners, { uid: metadata.uid ?? '', name: metadata.name }],
    },
  };
}

const WORKSPACE = /^packagevariant-([+-]?\d{1,15})$/;

/** `packagevariant-<n>`, one above the highest that the downstream package has. */
function newWorkspaceName(
  { spec: { downstream } }: Pick<ValidVariant, 'spec'>,
  revisions: readonly PackageRevision[],
): string {
  const used = revisions
    .filter(({ repository, package: path }) => repository === downstream.repo && path === downstream.package)
    .map(({ workspaceName }) => Number(WORKSPACE.exec(workspaceName)?.[1] ?? 0));
  return `packagevariant-${Math.max(0, ...used) + 1}`;
}

/** Whether a downstream is locked to that revision of that package. Without a lock nobody can tell. */
function isUpToDate(target: PackageRevision, upstream: PackageRevision): UpToDate {
  const ref = target.lock?.ref ?? '';
  if (ref === '') {
    return {
      upToDate: false,
      message: `${target.metadata.name} has no upstreamLock, so its origin is unknown`,
    };
  }
  if (ref.startsWith('drafts')) return { upToDate: false };
  const locked = lockedTo(ref);
  const samePackage = locked.package === undefined || isPath(locked.package, upstream.package);
  return { upToDate: samePackage && isRevision(upstream, locked.revision) };
}

function lockedTo(ref: string): { readonly package: string | undefined; readonly revision: string } {
  const plain = ref.replace(/^refs\/(?:tags|heads)\//, '');
  const slash = plain.lastIndexOf('/');
  return { package: slash < 0 ? undefined : plain.slice(0, slash), revision: plain.slice(slash + 1) };
}

/** A ref has the path from the top of the repository, a package that below the registered directory. */
function isPath(fromTop: string, path: string): boolean {
  return fromTop === path || fromTop.endsWith(`/${path}`);
}

function isRevision(one: PackageRevision, name: string): boolean {
  const integer = /^v?(\d+)$/.exec(name)?.[1];
  return integer === undefined ? one.workspaceName === name : one.revision === Number(integer);
}

function stepOf({
  variant,
  target,
  upstream,
  workspaceName,
  revisions,
}: {
  readonly variant: ValidVariant;
  readonly target: PackageRevision;
  readonly upstream: PackageRevision;
  readonly workspaceName: string;
  readonly revisions: readonly PackageRevision[];
}): Step {
  const state = isUpToDate(target, upstream);
  if (state.upToDate) return { kind: 'none' };
  if (state.message !== undefined) return { kind: 'stalled', message: state.message };
  const old = ancestorOf(variant, target, revisions);
  if (old === undefined) {
    const { repo, package: path } = variant.spec.upstream;
    const message = `could not find upstream package revision '${path}' at '${target.lock?.ref ?? ''}' in repo '${repo}'`;
    return { kind: 'stalled', message };
  }
  return isPublished(target)
    ? { kind: 'upgrade', workspaceName, old, upstream, local: target }
    : { kind: 'update-in-place', target, old, upstream };
}

/** The revision that a target was made from: of the package that its lock names, which need not be today's upstream. */
function ancestorOf(
  { spec: { upstream } }: ValidVariant,
  target: PackageRevision,
  revisions: readonly PackageRevision[],
): PackageRevision | undefined {
  const ref = target.lock?.ref ?? '';
  if (ref.startsWith('drafts')) return undefined;
  const locked = lockedTo(ref);
  const fitting = revisions.filter(
    (one) =>
      isPublished(one) &&
      isPath(locked.package ?? upstream.package, one.package) &&
      isRevision(one, locked.revision) &&
      one !== target,
  );
  return fitting.find(({ repository }) => repository === upstream.repo) ?? fitting[0];
}

/** Package revisions as Porch's documents speak of them: `lifecycle` is Porch's word. */
import { namespaceOf, type ObjectMeta, type VariantUpstream } from './variant-types.ts';

export interface OwnerReference {
  readonly uid: string;
  readonly name?: string;
}

export interface PackageRevision {
  readonly metadata: ObjectMeta & { readonly owners: readonly OwnerReference[] };
  readonly repository: string;
  readonly package: string;
  /** 0 for a draft, -1 for one that has no integer: the package on its branch, or a SemVer tag. */
  readonly revision: number;
  readonly workspaceName: string;
  readonly lifecycle: 'Draft' | 'Proposed' | 'Published' | 'DeletionProposed';
  /** `status.upstreamLock.git`. */
  readonly lock?: { readonly repo: string; readonly ref: string };
}

/** Porch's name of the revision that stands for a package on its branch. */
const PLACEHOLDER = 'main';

export function isPlaceholder({ revision, workspaceName }: PackageRevision): boolean {
  return revision === -1 && workspaceName === PLACEHOLDER;
}

/**
 * What a set's upstream names: all that it gives must fit. (Porch is content with one of revision and workspace, and
 * then generates variants that do not find it.)
 */
export function upstreamOfSet(
  revisions: readonly PackageRevision[],
  upstream: VariantUpstream,
  namespace: string,
): PackageRevision | undefined {
  const fitting = revisions.filter((one) => isPackage(one, upstream, namespace) && fits(one, upstream));
  return fitting.find(({ workspaceName }) => workspaceName === PLACEHOLDER) ?? fitting[0];
}

/**
 * What a variant's upstream names: its workspace, its revision, or both; without either, and with -1, the package as it
 * stands on its branch. `latest` is what a variant without either follows where nothing stands for the branch.
 */
export function upstreamOfVariant(
  revisions: readonly PackageRevision[],
  upstream: VariantUpstream,
  namespace: string,
): PackageRevision | undefined {
  const { workspaceName = '', revision } = upstream;
  const own = revisions.filter((one) => isPackage(one, upstream, namespace));
  // Beside a workspace, -1 only says that its revision has no integer.
  const onBranch = workspaceName === '' && (revision === undefined || revision === -1 || revision === 0);
  return onBranch
    ? own.find((one) => one.workspaceName === PLACEHOLDER)
    : own.find((one) => fits(one, upstream));
}

function isPackage(one: PackageRevision, upstream: VariantUpstream, namespace: string): boolean {
  return (
    one.repository === upstream.repo &&
    one.package === upstream.package &&
    namespaceOf(one.metadata, namespace) === namespace
  );
}

function fits(one: PackageRevision, { revision, workspaceName = '' }: VariantUpstream): boolean {
  if (workspaceName !== '' && one.workspaceName !== workspaceName) return false;
  if (revision === undefined || revision === 0) return workspaceName !== '';
  return typeof revision === 'string' ? one.workspaceName === revision : one.revision === revision;
}

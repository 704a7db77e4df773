/** What a package says of its processors: the steps that turn its sources into plain resources. */
import { z } from 'zod';

import { deploymentConfigSchema } from '../bundle/deployment-config.ts';
import { pathProblem } from '../package/limits.ts';

/** Steps of one package at most: each may start a program. */
const MAX_PROCESSORS = 50;

/** A path in the package, relative, without `.` and `..`. */
const path = z.string().superRefine((text, context) => {
  const problem = pathProblem(text);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', message: `cannot be ${JSON.stringify(text)}: ${problem}` });
});

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** As Helm has it: 53 characters, because names of objects are made with it. */
const RELEASE = /^(?=.{1,53}$)[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;
const namespace = z.string().regex(DNS_LABEL, 'must have 1 to 63 lower-case letters, digits and -');
const toolDigest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits, the digest of the program');
const targetName = z.string().regex(DNS_LABEL, 'must have 1 to 63 lower-case letters, digits and -');

const plain = z.strictObject({ directory: path });

const helm = z.strictObject({
  /** Directory of the chart. */
  chart: path,
  /** Files of the package, the last one wins. */
  values: z
    .union([path, z.array(path).max(50)])
    .default([])
    .transform((value): readonly string[] => (typeof value === 'string' ? [value] : value)),
  release: z.string().regex(RELEASE, 'must have 1 to 53 lower-case letters, digits, - and .'),
  namespace: namespace.default('default'),
  kubeVersion: z
    .string()
    .regex(
      /^v?\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.+-]+)?$/,
      'must be a version of Kubernetes, such as 1.33.0',
    )
    .optional(),
  /** `group/version` or `group/version/Kind`, as `helm template --api-versions` has them. */
  apiVersions: z
    .array(z.string().regex(/^[A-Za-z0-9./-]{1,253}$/, 'must be an API such as monitoring.coreos.com/v1'))
    .max(500)
    .default([]),
  /** Takes kubeVersion and APIs from this target profile, beside those given here. */
  target: targetName.optional(),
  hooks: z.enum(['leave-out', 'keep']).default('leave-out'),
  tool: toolDigest.optional(),
});

const registryV1 = z.strictObject({
  bundle: path,
  /** Default: the namespace that the bundle suggests. */
  installNamespace: namespace.optional(),
  /** `''` for all namespaces. */
  targetNamespaces: z.array(z.union([z.literal(''), namespace])).optional(),
  certificateProvider: z.enum(['cert-manager', 'service-ca']).optional(),
  deploymentConfig: deploymentConfigSchema.optional(),
});

const kustomize = z.strictObject({
  /** Directory with the kustomization. */
  directory: path,
  /** What is read beside it, such as a base that it names with `..`. */
  with: z.array(path).max(50).default([]),
  tool: toolDigest.optional(),
});

const krmFunction = z.strictObject({
  image: z.string().min(1).max(500),
  /** The resources that the function is given; where it answers is `out`, which may be the same. */
  directory: path,
  configMap: z.record(z.string(), z.string()).optional(),
  /** A file of the package with the functionConfig. */
  configPath: path.optional(),
});

/** Writes the resources of a directory once for each target, without those that it cannot serve. */
const targets = z.strictObject({ directory: path, only: z.array(targetName).max(500).optional() });

const PROCESSOR_KINDS = ['plain', 'helm', 'registryV1', 'kustomize', 'function', 'targets'] as const;

/** One entry of `processors`: exactly one kind, and the directory that its result fills. */
const processorSchema = z
  .strictObject({
    plain: plain.optional(),
    helm: helm.optional(),
    registryV1: registryV1.optional(),
    kustomize: kustomize.optional(),
    function: krmFunction.optional(),
    targets: targets.optional(),
    out: path.refine((out) => !/^\.github(?:\/|$)/i.test(out), 'must not be .github').default('rendered'),
  })
  .transform(({ out, ...kinds }, context) => {
    const named = PROCESSOR_KINDS.filter((kind) => kinds[kind] !== undefined);
    if (named.length !== 1) {
      const names = named.length === 0 ? 'none' : named.join(' and ');
      const message = `must be exactly one of ${PROCESSOR_KINDS.join(', ')}; this one is ${names}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
    const { plain, helm, registryV1, kustomize, function: krm, targets } = kinds;
    if (plain !== undefined) return { kind: 'plain', out, ...plain } as const;
    if (helm !== undefined) return { kind: 'helm', out, ...helm } as const;
    if (registryV1 !== undefined) return { kind: 'registryV1', out, ...registryV1 } as const;
    if (kustomize !== undefined) return { kind: 'kustomize', out, ...kustomize } as const;
    if (krm !== undefined) return { kind: 'function', out, ...krm } as const;
    return { kind: 'targets', out, directory: targets?.directory ?? '', only: targets?.only } as const;
  });

/** `processors` of a document, in the order in which they run. */
export const processorsSchema = z
  .array(processorSchema)
  .max(MAX_PROCESSORS)
  // A transformation is made of what is in order, and a refinement would be asked of anything.
  .transform((processors, context) => {
    for (const { at, message } of outputProblems(processors)) {
      context.addIssue({ code: 'custom', path: [at, 'out'], message });
    }
    return processors;
  });

export type Processor = z.output<typeof processorSchema>;
export type ProcessorOf<Kind extends Processor['kind']> = Extract<Processor, { kind: Kind }>;

/** What a processor reads of the package: directories, and files. */
export function readsOf(processor: Processor): readonly string[] {
  switch (processor.kind) {
    case 'plain':
    case 'targets':
      return [processor.directory];
    case 'helm':
      return [processor.chart, ...processor.values];
    case 'registryV1':
      return [processor.bundle];
    case 'kustomize':
      return [processor.directory, ...processor.with];
    case 'function':
      return [processor.directory, ...(processor.configPath === undefined ? [] : [processor.configPath])];
  }
}

/** True where one path is the other, or lies below it. */
function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** A directory is filled by one step, which replaces all of it; only functions may change it after that. */
function outputProblems(
  processors: readonly Processor[],
): readonly { readonly at: number; readonly message: string }[] {
  return processors.flatMap((processor, at) => {
    const { out, kind } = processor;
    const inPlace = kind === 'function' && processor.directory === out;
    const own = inPlace ? readsOf(processor).slice(1) : readsOf(processor);
    const eaten = own.find((read) => overlaps(read, out));
    if (eaten !== undefined) {
      return [{ at, message: `cannot be ${out}: the processor replaces all of it, and reads ${eaten}` }];
    }
    const before = processors.findIndex((other, index) => index < at && overlaps(other.out, out));
    const earlier = processors[before];
    if (earlier === undefined || (inPlace && earlier.out === out)) return [];
    return [
      {
        at,
        message: `cannot be ${out}: processors[${before}] already writes ${earlier.out}; use a separate directory for each`,
      },
    ];
  });
}

/**
 * The directories that processors read and no cluster is meant to have: those of sources, and those that another processor
 * fills. Files such as values are not among them.
 */
export function consumedDirectories(
  processors: readonly Processor[],
  destinations: readonly string[],
): readonly string[] {
  const consumed = processors.flatMap((processor) => {
    const inputs = [...destinations, ...outputsOf(processors)].filter((input) => input !== processor.out);
    return inputs.filter((input) => readsOf(processor).some((read) => overlaps(read, input)));
  });
  return [...new Set(consumed)].sort();
}

/** The directories that processors fill: no source may have its destination there. */
function outputsOf(processors: readonly Processor[]): readonly string[] {
  return [...new Set(processors.map(({ out }) => out))];
}

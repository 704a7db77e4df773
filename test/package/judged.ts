/** What policies and `portico/power` say of the files of a package. */
import { judge } from '../../src/cel/judge.ts';
import { readyPolicy } from '../../src/cel/policies/table.ts';
import { compilePolicy, type Policy } from '../../src/cel/policy.ts';
import { filledParams } from '../../src/config/policy-params.ts';
import { createRuntime } from '../../src/function/runtime.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { diffPower } from '../../src/package/power/power-diff.ts';
import type { GuardrailExemption } from '../../src/package/render/exempt.ts';
import type { FunctionRuntime } from '../../src/package/render/function-runtime.ts';
import { renderPackage } from '../../src/package/render/render.ts';

export const filesOf = (texts: Readonly<Record<string, string>>): PackageFiles =>
  new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: { name: operator }\n';
export const powers = (before: PackageFiles, after: PackageFiles): string[] =>
  diffPower(before, after).changes.map(
    ({ direction, who, what, file, line }) =>
      `${direction === 'wider' ? '▲' : '▼'} ${who}: ${what} (${file}:${line})`,
  );

/** Judges in this process, at once: no expression here is hostile. */
const runtime: FunctionRuntime = {
  ...createRuntime(),
  async judge(policy, review) {
    const compiled = compilePolicy(policy);
    if (!compiled.ok) throw new Error(compiled.problems[0]!.message);
    return { remarks: judge(compiled.compiled, review) };
  },
  async judgeRego(_rego, { changes }) {
    return {
      remarks: changes.map(({ object }, at) => ({ at, kind: 'note', message: String(object?.['kind']) })),
    };
  },
};

export interface Asked {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly exemptions?: readonly GuardrailExemption[];
  readonly base?: Readonly<Record<string, string>>;
  readonly rego?: boolean;
}

export async function found(
  policy: string | Policy,
  texts: Readonly<Record<string, string>>,
  { params = {}, exemptions = [], base, rego = false }: Asked = {},
): Promise<string[]> {
  const ready = typeof policy === 'string' ? readyPolicy(policy)! : undefined;
  const { findings } = await renderPackage({
    files: filesOf({ Kptfile: KPTFILE, ...texts }),
    runtime,
    context: {
      path: 'operator',
      repository: '',
      ...(base && { base: filesOf({ Kptfile: KPTFILE, ...base }) }),
    },
    guardrails: [
      {
        name: 'rule',
        type: 'validator',
        mode: 'enforce',
        spec: { name: 'rule' },
        ...(rego
          ? { rego: { wasm: new Uint8Array(), digest: '', entrypoint: 'x' } as never }
          : { policy: ready?.policy ?? (policy as Policy) }),
        ...(ready && { params: [filledParams(ready, params)] }),
        exemptions,
      },
    ],
  });
  return findings.map(
    ({ file, line, severity, message }) => `${file}:${line} ${severity} ${message.slice(0, 90)}`,
  );
}

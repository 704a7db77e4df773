/** Pure: what `portico check --json` found, by place in the repository. */

import { z } from 'zod';

const severity = z.enum(['error', 'warning', 'info']);
const place = { file: z.string().optional(), line: z.number().optional() };
const packageDocument = z.object({
  ok: z.boolean(),
  changed: z.array(z.string()).default([]),
  findings: z
    .array(
      z.object({
        severity,
        message: z.string(),
        function: z.string(),
        guardrail: z.string().optional(),
        ...place,
      }),
    )
    .default([]),
  problem: z.object({ code: z.string(), message: z.string(), hint: z.string(), ...place }).optional(),
  problems: z.array(z.object({ severity, message: z.string(), ...place })).default([]),
});
const failure = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});
const whole = z.object({ packages: z.array(packageDocument.extend({ package: z.string() })) });
const document = z.union([failure, whole, packageDocument]);

export interface ReportFinding {
  readonly severity: z.output<typeof severity>;
  /** What found it: a guardrail, a function, or what is wrong by nature, such as `not-rendered`. */
  readonly rule: string;
  readonly message: string;
  /** From the top of the work tree; undefined where it is about no file. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export interface CheckReport {
  readonly packages: readonly { readonly path: string; readonly ok: boolean; readonly findings: number }[];
  readonly findings: readonly ReportFinding[];
}

/**
 * `directory`: which was checked, from the top of the work tree.
 * @throws an error of zod for a document that `portico check` does not write
 */
export function readCheckReport(text: string, directory: string): CheckReport {
  const read = document.parse(JSON.parse(text));
  if ('error' in read) {
    const { code, message, hint } = read.error;
    const said = hint === undefined ? message : `${message}\n${hint}`;
    const finding = {
      severity: 'error',
      rule: code,
      message: said,
      file: undefined,
      line: undefined,
    } as const;
    return { packages: [], findings: [finding] };
  }
  const packages = 'packages' in read ? read.packages : [{ ...read, package: '.' }];
  const found = packages.map((one) => ({ ...one, list: findingsOf(one, joined(directory, one.package)) }));
  return {
    packages: found.map(({ package: path, ok, list }) => ({
      path: joined(directory, path),
      ok,
      findings: list.length,
    })),
    findings: found.flatMap(({ list }) => list),
  };
}

function findingsOf(one: z.output<typeof packageDocument>, below: string): ReportFinding[] {
  const at = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : joined(below, file);
  const { problem } = one;
  return [
    ...(problem === undefined
      ? []
      : [
          {
            severity: 'error' as const,
            rule: problem.code,
            message: `${problem.message}\n${problem.hint}`,
            file: at(problem.file) ?? joined(below, 'Kptfile'),
            line: problem.line,
          },
        ]),
    ...one.problems.map(({ file, line, message, severity: how }) => ({
      severity: how,
      rule: 'Kptfile',
      message,
      file: at(file),
      line,
    })),
    ...one.findings.map(({ file, line, message, severity: how, guardrail, function: by }) => ({
      severity: how,
      rule: guardrail ?? by,
      message,
      file: at(file),
      line,
    })),
    ...one.changed.map((file) => ({
      severity: 'error' as const,
      rule: 'not-rendered',
      message: `The file differs from the rendered package. Run: portico render ${below}`,
      file: at(file),
      line: undefined,
    })),
  ];
}

function joined(directory: string, path: string): string {
  if (path === '.') return directory;
  return directory === '.' ? path : `${directory}/${path}`;
}

/** Pure: findings as SARIF 2.1.0, which GitHub's code scanning and other tools read. */

import { VERSION } from '../version.ts';
import type { ReportFinding } from './check-report.ts';

/** GitHub takes no more results of a run (docs.github.com, "SARIF support for code scanning"). */
const MAX_RESULTS = 5_000;

const LEVELS: Readonly<Record<ReportFinding['severity'], string>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** A document; findings without a file have the configuration for their place, since a result needs one. */
export function sarif(findings: readonly ReportFinding[]): string {
  const shown = findings.slice(0, MAX_RESULTS);
  const rules = [...new Set(shown.map(({ rule }) => rule))].toSorted();
  const run = {
    tool: { driver: { name: 'Portico', semanticVersion: VERSION, rules: rules.map((id) => ({ id })) } },
    columnKind: 'unicodeCodePoints',
    results: shown.map(({ rule, severity, message, file = '.github/portico.yaml', line }) => ({
      ruleId: rule,
      ruleIndex: rules.indexOf(rule),
      level: LEVELS[severity],
      message: { text: message === '' ? rule : message },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
            region: { startLine: line ?? 1 },
          },
        },
      ],
    })),
  };
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

import { answerText } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { mergePatiently } from './merging.ts';
import { NO_ADMINISTRATION, underRuleset } from './rules-of-main.ts';

/** Requires a check of this App by its number, tries to merge without it, and with it. */
export const expectedSource: Row = {
  number: 10,
  belief:
    'A ruleset takes this App as the only source of a required check (integration_id) though the App may not write statuses; a merge waits for the check and goes through with it',
  async play(stage) {
    const extra = await stage.with('administration');
    if (extra === null) return NO_ADMINISTRATION;
    const { app, blueprints, name, rest } = stage;
    const checks = [{ context: 'portico', integration_id: app.id }];
    const rules = {
      name: name('required'),
      target: 'branch',
      enforcement: 'active',
      conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
      rules: [
        {
          type: 'required_status_checks',
          parameters: { required_status_checks: checks, strict_required_status_checks_policy: false },
        },
      ],
    };
    return underRuleset(stage, extra, rules, async () => {
      const branch = name('required-check');
      await blueprints.branch(branch, { [`${branch}.txt`]: 'x\n' });
      const pull = await blueprints.open(branch);
      const without = await mergePatiently(stage, pull);
      if (without.answer.status === 200) return otherwise('it was merged without the check');
      const body = { name: 'portico', head_sha: pull.head, status: 'completed', conclusion: 'success' };
      const made = await rest.ask('POST', `${blueprints.path}/check-runs`, { body });
      if (made.status !== 201) return otherwise(answerText(made));
      const { answer } = await mergePatiently(stage, pull);
      if (answer.status !== 200) return otherwise(`with the check: ${answerText(answer)}`);
      return asBelieved(`without the check ${answerText(without.answer)}; merged with it`);
    });
  },
};

import { shorten } from '../../text/cut-text.ts';
import { answerText } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';
import { NO_ADMINISTRATION, underRuleset } from './rules-of-main.ts';

/** Protects tags by a ruleset, pushes one, makes the App a bypass actor of it, and pushes one again. */
export const bypassOfTags: Row = {
  number: 24,
  belief: 'A ruleset of tags refuses the push of the App, until the App is its bypass actor by its number',
  async play(stage) {
    const extra = await stage.with('administration');
    if (extra === null) return NO_ADMINISTRATION;
    const { app, blueprints, name } = stage;
    const main = await blueprints.main();
    const protectedTag = name('protected');
    const rules = {
      name: name('tags'),
      target: 'tag',
      enforcement: 'active',
      conditions: { ref_name: { include: [`refs/tags/${protectedTag}*`], exclude: [] } },
      rules: [{ type: 'creation' }, { type: 'update' }, { type: 'deletion' }],
    };
    return underRuleset(stage, extra, rules, async (path) => {
      const refused = await blueprints.tryToMove({ [`refs/tags/${protectedTag}-1`]: main });
      if (refused === '') return otherwise('the tag was taken without a bypass');
      const bypass = [{ actor_id: app.id, actor_type: 'Integration', bypass_mode: 'always' }];
      const changed = await extra.rest.ask('PUT', path, { body: { ...rules, bypass_actors: bypass } });
      if (changed.status !== 200) return otherwise(answerText(changed));
      const still = await blueprints.tryToMove({ [`refs/tags/${protectedTag}-2`]: main });
      return still === ''
        ? asBelieved(`refused (${shorten(refused, 100)}), then taken`)
        : otherwise(`as a bypass actor: ${still}`);
    });
  },
};

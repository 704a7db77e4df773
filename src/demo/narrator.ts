import type { Terminal } from '../cli/terminal.ts';

/** One thing that had to happen, and whether it did. */
export interface Section {
  readonly title: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface Narrator {
  readonly sections: readonly Section[];
  chapter(title: string): void;
  /** Runs a step and tells how it went; a step that throws ends the story. `detail` is what it returns. */
  step(title: string, work: () => Promise<string>): Promise<void>;
}

/** Tells the story on the terminal, step by step. */
export function createNarrator(terminal: Terminal): Narrator {
  const sections: Section[] = [];
  const say = (text: string): void => (terminal.json ? terminal.say(text) : terminal.print(text));
  return {
    sections,
    chapter(title) {
      say(`\n${terminal.style('bold', title)}`);
    },
    async step(title, work) {
      terminal.progress(`${title} …`);
      try {
        const detail = await work();
        sections.push({ title, ok: true, detail });
        say(
          `  ${terminal.style('green', '✓')} ${title}${detail === '' ? '' : terminal.style('dim', `  ${detail}`)}`,
        );
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        sections.push({ title, ok: false, detail });
        say(`  ${terminal.style('red', '✗')} ${title}  ${detail}`);
        throw error;
      } finally {
        terminal.progress('');
      }
    },
  };
}

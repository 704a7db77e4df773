/**
 * A list of numbers, read as the decisions that make one document: which form, which piece, how often. The same numbers
 * make the same document, and a shorter list of smaller numbers a plainer one, so that what was found is shrunk by
 * shrinking the list. Numbers that are used up are zeros: the plainest decision.
 */
const COPIES = [1, 2, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];

/** Characters that one document may have; few are long, or a run would take days. */
const ROOMS = [2_000, 2_000, 20_000, 20_000, 60_000, 200_000, 1_000_000];

export class Choices {
  readonly #numbers: readonly number[];
  #at = 0;
  #room: number;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
    this.#room = this.pick(ROOMS);
  }

  /** Apart: what one side decides takes nothing from the others. */
  split(parts: number): Choices[] {
    const rest = this.#numbers.slice(this.#at);
    return Array.from(
      { length: parts },
      (_, part) => new Choices(rest.filter((_number, at) => at % parts === part)),
    );
  }

  next(): number {
    const number = this.#numbers[this.#at] ?? 0;
    this.#at += 1;
    return number;
  }

  /** Whether there is something left to decide; recursive rules end here. */
  get more(): boolean {
    return this.#at < this.#numbers.length && this.#room > 0;
  }

  pick<Option>(options: readonly Option[]): Option {
    return options[this.next() % options.length]!;
  }

  /** One of the rules, applied. */
  one(rules: readonly Rule[]): string {
    return this.pick(rules)(this);
  }

  /** How often something of this length is repeated: bounded by the room that is left, and at least once. */
  times(length = 1): number {
    const most = Math.max(1, Math.floor(this.#room / Math.max(1, length)));
    const times = Math.min(this.pick(COPIES), most);
    this.#room -= times * length;
    return times;
  }

  /** A long token, or a piece again and again. */
  long(piece: string): string {
    return piece.repeat(this.times(piece.length));
  }

  /** Copies that differ by their number. */
  many(piece: (at: number) => string, separator = ''): string {
    const length = piece(0).length + separator.length;
    return Array.from({ length: this.times(length) }, (_, at) => piece(at)).join(separator);
  }

  /** A piece inside of itself. */
  nested(open: string, core: string, close: string): string {
    const times = this.times(open.length + close.length);
    return open.repeat(times) + core + close.repeat(times);
  }

  /** A few of them, each decided anew. */
  some(rule: Rule, separator = ''): string {
    return Array.from({ length: 1 + (this.next() % 5) }, () => rule(this)).join(separator);
  }
}

/** One production of a grammar. */
export type Rule = (choices: Choices) => string;

/** Texts that stand for themselves. */
export function words(...texts: readonly string[]): Rule {
  return (choices) => choices.pick(texts);
}

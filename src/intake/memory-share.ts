/**
 * The memory that bodies hold until their signature is checked, shared fairly: where it is full, the sender that holds
 * the most gives way, and among the bodies of one sender the largest. So nobody keeps others out by holding much.
 */

/** One body's part of the memory. */
export interface Seat {
  /** Takes so many bytes more; false where no other holds more than this one would. */
  take(bytes: number): boolean;
  /** The body is whole: what it holds is not taken away any more. */
  keep(): void;
  /** Gives everything back. */
  leave(): void;
}

export interface MemoryShare {
  /** @param evict drops the body: others have a better claim to its memory */
  seat(sender: string, evict: () => void): Seat;
}

interface Held {
  readonly sender: string;
  readonly evict: () => void;
  bytes: number;
  kept: boolean;
}

export function createMemoryShare(total: number): MemoryShare {
  const seats = new Set<Held>();
  let left = total;

  const leave = (held: Held): void => {
    left += held.bytes;
    held.bytes = 0;
    seats.delete(held);
  };

  /** Makes room for so many bytes by letting those go that hold more; false where there are none. */
  const makeRoom = (held: Held, bytes: number): boolean => {
    for (;;) {
      if (left >= bytes) return true;
      const greatest = greatestFor(seats, held, bytes);
      if (greatest === undefined) return false;
      leave(greatest);
      greatest.evict();
    }
  };

  return {
    seat(sender, evict) {
      const held: Held = { sender, evict, bytes: 0, kept: false };
      seats.add(held);
      return {
        take(bytes) {
          if (!seats.has(held) || bytes > total || !makeRoom(held, bytes)) return false;
          held.bytes += bytes;
          left -= bytes;
          return true;
        },
        keep: () => void (held.kept = true),
        leave: () => leave(held),
      };
    },
  };
}

/** The body that gives way to another: the largest of the sender that holds most, where that is more than the other would. */
function greatestFor(seats: ReadonlySet<Held>, asking: Held, bytes: number): Held | undefined {
  const sums = new Map<string, number>();
  for (const { sender, bytes: held } of seats) sums.set(sender, (sums.get(sender) ?? 0) + held);
  const own = sums.get(asking.sender) ?? 0;
  let found: Held | undefined;
  for (const one of seats) {
    if (one.kept || one === asking) continue;
    const claim =
      one.sender === asking.sender
        ? one.bytes > asking.bytes + bytes
        : (sums.get(one.sender) ?? 0) > own + bytes;
    if (claim && (found === undefined || usesMoreThan(one, found, sums))) found = one;
  }
  return found;
}

function usesMoreThan(one: Held, other: Held, sums: ReadonlyMap<string, number>): boolean {
  const [a, b] = [sums.get(one.sender) ?? 0, sums.get(other.sender) ?? 0];
  return a === b ? one.bytes > other.bytes : a > b;
}

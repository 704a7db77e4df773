import type { ChildProcess } from 'node:child_process';

/** An idle process keeps nobody from ending. */
export function holdChild(child: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

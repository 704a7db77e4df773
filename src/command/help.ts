/** Help, generated from the table. */
import type { RepositoryConfig } from '../config/repository-config.ts';
import type { Caller } from './command-state.ts';

/** Markdown: the commands that this caller may use here. */
export function helpFor(_config: RepositoryConfig, _caller: Caller): string {
  return '';
}

/** What somebody wrote to Portico. */
import type { Authored } from './forge/comments.ts';
import type { CommentTarget } from './job.ts';

export interface CommentSource extends Authored {
  readonly kind: CommentTarget['source']['kind'];
  readonly id: number;
  readonly body: string;
  readonly createdAt: string;
  readonly edited: boolean;
}

/** What somebody wrote to Portico. */
import type { CommentTarget } from './job.ts';

export interface CommentSource {
  readonly kind: CommentTarget['source']['kind'];
  readonly id: number;
  readonly author: string;
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  readonly body: string;
  readonly createdAt: string;
  readonly edited: boolean;
}

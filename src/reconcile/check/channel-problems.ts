import type { ChannelProblem } from '../../channels/channels-node.ts';
import type { CheckAnnotation } from '../forge/checks.ts';
import { sentence } from '../text/markdown-blocks.ts';

/** What is wrong with a channel file, on its line and with the code of its rule. */
export function problemAnnotation(
  file: string,
  { rule, line, message, severity }: ChannelProblem,
): CheckAnnotation {
  return {
    path: file,
    startLine: line,
    endLine: line,
    level: severity === 'error' ? 'failure' : 'warning',
    title: rule,
    message: sentence(message),
  };
}

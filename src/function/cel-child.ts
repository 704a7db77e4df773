/** The process in which policies are judged. It has no environment and a small heap; whoever started it may kill it. */
import { judgePolicy, type PolicyRequest } from './judge-policy.ts';

process.on('message', (request: PolicyRequest) => {
  process.send?.(judgePolicy(request));
});
process.on('disconnect', () => process.exit(0));
// The first message says that it is ready; the time of a policy begins after it.
process.send?.({ ready: true });

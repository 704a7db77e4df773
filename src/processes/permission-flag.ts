/** Node's option by which a process gets no files, programs or addons; it had another name in Node 20, where it was new. */
export const PERMISSION_FLAG = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

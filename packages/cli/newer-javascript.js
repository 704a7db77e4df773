// Loaded before everything else, by each program: Node 22 has all that is needed.
if (Promise.withResolvers === undefined) await import('./for-node-20.js');

/**
 * Holds as many connections as there is room for, and shares them fairly: past that, a newcomer takes the place of the
 * longest silent connection of the sender that has most, or of a request of whoever has more than the newcomer.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import type { Senders } from './sender.ts';

interface Held {
  readonly socket: Socket;
  readonly sender: string;
  /** Requests that are not answered yet. */
  open: number;
}

/** Node's own limit stays a little above, for what is being closed. */
const CLOSING = 100;

/** Keeps a server from holding more than `most` connections. */
export function shareConnections(server: Server, senders: Senders, most: number): void {
  const held = new Map<Socket, Held>();
  server.maxConnections = most + CLOSING;
  server.on('connection', (socket) => {
    const newcomer: Held = { socket, sender: senders.ofSocket(socket), open: 0 };
    if (held.size >= most) {
      const leaves = connectionToClose(held.values(), newcomer);
      held.delete(leaves.socket);
      leaves.socket.destroy();
      if (leaves === newcomer) return;
    }
    held.set(socket, newcomer);
    socket.once('close', () => held.delete(socket));
  });
  server.on('request', (request, response) => {
    const one = held.get(request.socket);
    if (one === undefined) return;
    one.open += 1;
    response.once('close', () => {
      one.open -= 1;
      // Who was just answered has been silent for the shortest time.
      if (held.delete(one.socket)) held.set(one.socket, one);
    });
  });
}

function connectionToClose(all: Iterable<Held>, newcomer: Held): Held {
  const list = [...all];
  const silent = list.filter(({ open }) => open === 0);
  const among = silent.length > 0 ? silent : list;
  const counts = new Map<string, number>();
  for (const { sender } of among) counts.set(sender, (counts.get(sender) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (most === undefined) return newcomer;
  const [sender, count] = most;
  // Silence gives way to anybody; a request only to who has fewer.
  if (silent.length === 0 && count <= (counts.get(newcomer.sender) ?? 0) + 1) return newcomer;
  return among.find((one) => one.sender === sender) ?? newcomer;
}

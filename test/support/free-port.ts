import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below what systems take for outgoing connections: one of those would have the port while a server
 * of ours is being started again. 10,000 above, where a node of Redis Cluster listens too, is free
 * of them as well.
 */
const [FIRST, END] = [12_000, 22_000];

/** A port of loopback on which nobody listens now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

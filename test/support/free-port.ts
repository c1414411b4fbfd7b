import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral port range: an outgoing connection could otherwise take the port while a
 * server is being restarted. The port 10,000 above, which a node of Redis Cluster also uses, is
 * outside the range too.
 */
const [FIRST, END] = [12_000, 22_000];

/** A free loopback port. */
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

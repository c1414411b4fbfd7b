import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { type EventEmitter, once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Range of ports, exclusive of `END`, below the ephemeral ports: an outgoing connection could
 * otherwise take the port while a server is being restarted. The port 10,000 above, which a node of
 * Redis Cluster also uses, is not an ephemeral port either.
 */
const [FIRST, END] = [12_000, 22_000];

/** A free loopback port, which no other call returns while this process runs. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/**
 * Reserves a port for this process by binding the UDP port of the same number, so that the port
 * itself stays free until its server starts. Returns whether no other process had it.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  socket.bind(port, '127.0.0.1');
  return begins(socket);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  if (!(await begins(server))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** Whether a socket starts to listen; false if an error occurs first. */
function begins(socket: EventEmitter): Promise<boolean> {
  return once(socket, 'listening').then(
    () => true,
    () => false,
  );
}

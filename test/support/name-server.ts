import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A loopback DNS server with one IPv4 address for every name and a TTL of a second. */
export interface NameServer {
  /** Address of the server, such as `127.0.0.1:5353`. */
  readonly address: string;
  /** The address that names resolve to. */
  leadsTo: string;
  close(): void;
}

const A = 1;
const HEADER_BYTES = 12;

export async function openNameServer(leadsTo: string): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    socket.send(responseTo(query, server.leadsTo), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  const server = { address: `127.0.0.1:${port}`, leadsTo, close: () => socket.close() };
  return server;
}

/** The response to a query of one question: an address, or no records unless IPv4 is requested. */
function responseTo(query: Buffer, ip: string): Buffer {
  // The name ends with an empty label, followed by type and class.
  const end = query.indexOf(0, HEADER_BYTES) + 5;
  const isAsked = query.readUInt16BE(end - 4) === A;
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(isAsked ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const question = query.subarray(HEADER_BYTES, end);
  if (!isAsked) return Buffer.concat([header, question]);
  const toName = [0xc0, HEADER_BYTES];
  const [typeAndClass, aSecond, length] = [
    [0, A, 0, 1],
    [0, 0, 0, 1],
    [0, 4],
  ];
  const record = [...toName, ...typeAndClass, ...aSecond, ...length, ...ip.split('.').map(Number)];
  return Buffer.concat([header, question, Buffer.from(record)]);
}

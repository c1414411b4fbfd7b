import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { OneWriteResponse } from '../../portal/http/one-write.ts';

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const LARGE = Buffer.alloc(100_000, EVERY_BYTE);

/** The bytes of an answer, without its date, and in how many pieces the client's kernel got them. */
async function received(method: string, answer: (response: OneWriteResponse) => void) {
  let finished = 0;
  server = createServer({ ServerResponse: OneWriteResponse }, (_request, response) => {
    response.sendDate = false;
    response.on('finish', () => finished++);
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pieces: Buffer[] = [];
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('data', (piece) => pieces.push(piece));
  socket.end(`${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => socket.on('end', resolve));
  return { bytes: Buffer.concat(pieces), pieces: pieces.length, finished };
}

function head(length: number): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\nConnection: close\r\n\r\n`;
}

function whole(body: Buffer) {
  return (response: OneWriteResponse) => {
    response.writeHead(200, { 'content-length': body.length }).end(body);
  };
}

test.each([Buffer.alloc(0), EVERY_BYTE, LARGE])(
  'an answer is its head and its very bytes (%#)',
  async (body) => {
    const { bytes, finished } = await received('GET', whole(body));
    expect(bytes.equals(Buffer.concat([Buffer.from(head(body.length)), body]))).toBe(true);
    expect(finished).toBe(1);
  },
);

test('a small one comes in one piece', async () => {
  expect((await received('GET', whole(EVERY_BYTE))).pieces).toBe(1);
});

test('HEAD has no body', async () => {
  const { bytes } = await received('HEAD', whole(EVERY_BYTE));
  expect(bytes.toString('latin1')).toBe(head(256));
});

test('what has begun to leave, or is chunked, goes on as it began', async () => {
  const begun = await received('GET', (response) => {
    response.writeHead(200, { 'content-length': 512 }).write(EVERY_BYTE, () => {
      response.end(EVERY_BYTE);
    });
  });
  const twice = Buffer.concat([Buffer.from(head(512)), EVERY_BYTE, EVERY_BYTE]);
  expect(begun.bytes.equals(twice)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  const chunked = await received('GET', (response) => {
    response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(EVERY_BYTE);
  });
  const frame = Buffer.concat([Buffer.from('100\r\n'), EVERY_BYTE, Buffer.from('\r\n0\r\n\r\n')]);
  expect(chunked.bytes.subarray(-frame.length).equals(frame)).toBe(true);
});

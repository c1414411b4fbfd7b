import { connect } from 'node:net';
import { ResponseReader, type WireResponse } from './response-reader.ts';

/** Silence after which a response is considered complete if the server does not close. */
const SILENCE_MS = 60_000;

/**
 * Sends raw bytes and reads the response until the server closes or falls silent. A string is sent
 * as Latin-1, so that it can hold any byte.
 */
export function onTheWire(
  port: number,
  bytes: string | Uint8Array,
  options: { readonly leaveAtOnce?: boolean; readonly silenceMs?: number } = {},
): Promise<{ text: string; isClosed: boolean }> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let isClosed = false;
    let silence: NodeJS.Timeout | undefined;
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      if (options.leaveAtOnce) socket.resetAndDestroy();
      listen();
    });
    const finish = () => {
      clearTimeout(silence);
      socket.destroy();
      resolve({ text: Buffer.concat(received).toString('latin1'), isClosed });
    };
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(finish, options.silenceMs ?? SILENCE_MS);
    };
    socket.on('data', (chunk) => {
      received.push(chunk);
      listen();
    });
    // A server that gives up may reset while we still write.
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
      finish();
    });
  });
}

/** Parses consecutive responses; throws if the last one is incomplete. */
export function parseResponses(text: string): WireResponse[] {
  const reader = new ResponseReader();
  const responses = reader.take(Buffer.from(text, 'latin1'));
  const rest = reader.rest.toString('latin1');
  if (rest !== '')
    throw new Error(`not a whole HTTP response: ${JSON.stringify(rest.slice(0, 200))}`);
  return responses;
}

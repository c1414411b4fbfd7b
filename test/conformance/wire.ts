import { connect } from 'node:net';

/** An answer as it came over a socket. */
export interface WireAnswer {
  readonly status: number;
  /** Lower-case names; a name that is there twice has both values, joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How long a server may keep silent before what has come is taken for all there is. */
const SILENCE_MS = 400;
const BODILESS = [204, 304];

/**
 * Sends bytes as they are and reads what comes back until the server closes or falls silent. Latin-1
 * text, so that any byte can be written.
 */
export function onTheWire(
  port: number,
  bytes: string | Uint8Array,
  options: { readonly leaveAtOnce?: boolean } = {},
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
      silence = setTimeout(finish, SILENCE_MS);
    };
    socket.on('data', (chunk) => {
      received.push(chunk);
      listen();
    });
    // A server that has had enough may reset while we still write.
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
      finish();
    });
  });
}

/** Splits answers that follow one another, by Content-Length or chunks. */
export function parseAnswers(text: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`not an HTTP answer: ${JSON.stringify(rest.slice(0, 200))}`);
    const [first, ...lines] = rest.slice(0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const [, name, value] = /^([^:]+): *(.*)$/.exec(line)!;
      const before = headers[name.toLowerCase()];
      headers[name.toLowerCase()] = before === undefined ? value : `${before},${value}`;
    }
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
    const { body, length } = bodyOf(rest.slice(end + 4), status, headers);
    rest = rest.slice(end + 4 + length);
    if (status !== 100) answers.push({ status, headers, body });
  }
  return answers;
}

function bodyOf(
  rest: string,
  status: number,
  headers: Readonly<Record<string, string>>,
): { body: string; length: number } {
  if (BODILESS.includes(status) || status < 200) return { body: '', length: 0 };
  if (headers['transfer-encoding'] !== 'chunked') {
    const length = Number(headers['content-length'] ?? rest.length);
    return { body: rest.slice(0, length), length };
  }
  let body = '';
  let at = 0;
  for (;;) {
    const line = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.slice(at, line), 16);
    body += rest.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
    if (size === 0) return { body, length: at };
  }
}

/** A complete response received over a connection. */
export interface WireResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';
const BODILESS = [204, 304];

/** Consumes the bytes of one connection as they arrive and yields complete responses. */
export class ResponseReader {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes needed before parsing is worth another attempt. */
  #wanted = 1;

  /** Bytes that do not make a complete response yet. */
  get rest(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /**
   * Takes a chunk and returns the responses that are complete with it. `isHead`: the responses are
   * to HEAD, and have no bodies.
   */
  take(chunk: Buffer, { isHead = false } = {}): WireResponse[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted) return [];
    let rest = this.rest;
    const responses: WireResponse[] = [];
    for (;;) {
      const end = rest.indexOf(HEAD_END);
      this.#wanted = rest.length + 1;
      if (end === -1) break;
      const { status, headers } = readHead(rest.toString('latin1', 0, end));
      const begin = end + HEAD_END.length;
      const isBodiless = isHead || status < 200 || BODILESS.includes(status);
      const length = isBodiless ? 0 : lengthIn(headers);
      this.#wanted = begin + length;
      if (rest.length < this.#wanted) break;
      if (status >= 200)
        responses.push({ status, headers, body: rest.subarray(begin, begin + length) });
      rest = rest.subarray(begin + length);
    }
    this.#chunks = [rest];
    this.#length = rest.length;
    return responses;
  }
}

function readHead(head: string): Pick<WireResponse, 'status' | 'headers'> {
  const [first, ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new Error(`not an HTTP response: ${JSON.stringify(first)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([^:]+): *(.*)$/.exec(line)!;
    const before = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = before === undefined ? value : `${before},${value}`;
  }
  return { status, headers };
}

/** Length of a body, which every response of the service states. */
function lengthIn(headers: WireResponse['headers']): number {
  const length = headers['content-length'];
  if (length === undefined)
    throw new Error(`a response of unknown length: ${JSON.stringify(headers)}`);
  return Number(length);
}

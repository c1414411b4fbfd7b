import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/**
 * Transport over standard input and output that, once the input ends, waits for the responses under
 * way. The SDK's own transport aborts them, although a call may already have been charged.
 */
export class DrainingStdio extends StdioServerTransport {
  readonly #pending = new Set<unknown>();
  readonly #messages: PassThrough;
  #hasEnded = false;

  constructor(input: Readable, output: Writable) {
    const messages = new PassThrough();
    super(messages, output);
    this.#messages = messages;
    const lines = createInterface({ input });
    lines.on('line', (line) => {
      this.#note(line);
      messages.write(`${line}\n`);
    });
    lines.on('close', () => {
      this.#hasEnded = true;
      this.#endIfDrained();
    });
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message)) this.#settle(message.id);
  }

  /** Notes a request, or that a request has been cancelled and will have no response. */
  #note(line: string): void {
    const message = parsed(line);
    if (typeof message?.method !== 'string') return;
    if (message.id !== undefined) this.#pending.add(message.id);
    else if (message.method === 'notifications/cancelled') {
      this.#settle(message.params?.requestId);
    }
  }

  #settle(id: unknown): void {
    this.#pending.delete(id);
    this.#endIfDrained();
  }

  #endIfDrained(): void {
    if (this.#hasEnded && this.#pending.size === 0) this.#messages.end();
  }
}

interface SentMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/** Parses the message of a line; null if it is malformed, which the SDK reports. */
function parsed(line: string): SentMessage | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

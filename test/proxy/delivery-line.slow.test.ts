import { beforeAll, describe, expect, inject, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { ControlledSocket } from '../support/controlled-socket.ts';
import { newRedisLedgers, newSqliteLedgers } from '../support/new-ledgers.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { ofTests } from '../support/test-resources.ts';

/** Bytes that the service writes at once: it knows what the kernel accepted in whole pieces. */
const PIECE = 16_384;
const TOKENS = 1_000_000;

describe.each([
  { kind: 'SQLite', ledgers: newSqliteLedgers },
  { kind: 'Redis', ledgers: newRedisLedgers },
])('on $kind, for a response whose connection breaks', ({ ledgers }) => {
  const newAddress = ledgers();
  const proxy = ofTests(() => openProxy(inject('demoStore'), { ledger: newAddress() }));
  let geoids: string[];
  beforeAll(async () => {
    await proxy.app.ready();
    const release = proxy.releases.current;
    const [{ manifest }] = release.counties;
    const index = await release.index(manifest);
    const ordinals = Array.from({ length: index.count }, (_, i) => i);
    geoids = ordinals
      .filter((i) => index.isRoutable(i))
      .map((i) => geoidFromNumber(index.geoids[i]));
  });

  /** Heads, and bodies of POSTs, whose responses are of one piece, of several, and compressed. */
  const REQUESTS: Readonly<Record<string, () => [head: string, body?: string]>> = {
    'one row': () => [`GET /v1/blocks/${geoids[60]}/summary?mode=walk&type=101`],
    'a piece': () => [`GET /v1/blocks/${geoids[60]}/summary`],
    'some pieces': () => [`GET /v1/blocks/${geoids[60]}/pois?limit=400`],
    'some pieces, compressed': () => [`GET /v1/blocks/${geoids[60]}/pois?limit=1000`, undefined],
    'a batch': () => ['POST /v1/blocks/summary', JSON.stringify({ origins: geoids.slice(60, 70) })],
  };
  const isZipped = (name: string) => name.endsWith('compressed');

  /** Sends the request over a connection whose kernel accepts the given number of bytes. */
  async function ask(name: string, allowance: number) {
    const { id, key } = await proxy.customer({ tokens: TOKENS });
    const [head, body] = REQUESTS[name]();
    const socket = new ControlledSocket(allowance);
    proxy.app.server.emit('connection', socket);
    const headers = {
      host: 'x',
      authorization: `Bearer ${key}`,
      ...(isZipped(name) && { 'accept-encoding': 'gzip' }),
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
    };
    const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
    const send = () => socket.ask([`${head} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n'));
    const used = async () => {
      const usage = await proxy.ledger.usage(id);
      const sum = usage.reduce((tokens, day) => tokens + day.tokens, 0);
      // Every commit keeps the books consistent.
      expect((await proxy.balance(id)) + sum).toBe(TOKENS);
      return sum;
    };
    return { socket, send, used };
  }

  /** The full response: the lengths of its head and body, and its price. */
  async function wholeOf(name: string) {
    const { socket, send, used } = await ask(name, Number.POSITIVE_INFINITY);
    send();
    const part = () => String(socket.taken.subarray(0, 4_000)).split('\r\n\r\n')[0];
    await expect.poll(() => part()).toContain('content-length');
    const length = Number(/content-length: (\d+)/.exec(part())![1]);
    const head = part().length + 4;
    await expect.poll(() => socket.taken.length).toBe(head + length);
    const price = Number(/x-tokens-charged: (\d+)/.exec(part())![1]);
    expect(await used()).toBe(price);
    socket.destroy();
    return { head, length, price };
  }

  test.each(Object.keys(REQUESTS))(
    'the charge covers what the kernel accepted, and at most the piece in progress: %s',
    async (name) => {
      const { head, length, price } = await wholeOf(name);
      const ends = [head + length - 1, head + Math.floor(length / 2)];
      for (let end = PIECE; end < length; end += PIECE)
        ends.push(head + end - 1, head + end, head + end + 1);
      for (const allowance of [1, head - 1, head, head + 1, ...ends]) {
        const { socket, send, used } = await ask(name, allowance);
        send();
        await socket.stalled;
        expect(await used()).toBe(price);
        socket.reset();
        const body = Math.max(0, allowance - head);
        const most = Math.min(length, body + PIECE);
        const tokensOf = (bytes: number) => Math.ceil((price * bytes) / length);
        // A refund, if one is due, has been made once the response is settled.
        if (tokensOf(most) < price) await expect.poll(() => used()).toBeLessThan(price);
        await new Promise((resolve) => setTimeout(resolve, 20));
        const paid = await used();
        expect([allowance, paid]).toEqual([allowance, Math.max(paid, 1, tokensOf(body))]);
        expect([allowance, paid]).toEqual([allowance, Math.min(paid, tokensOf(most))]);
      }
    },
  );

  test.each(Object.keys(REQUESTS))(
    'the minimum is charged where the kernel accepted nothing, not even the head: %s',
    async (name) => {
      for (const how of ['noticed', 'unnoticed'] as const) {
        const { socket, send, used } = await ask(name, 0);
        const { responseWriter } = proxy.app.services;
        const original = responseWriter.send.bind(responseWriter);
        let paid = 0;
        const settled = new Promise<number>((resolve) => {
          responseWriter.send = async (raw, body) => {
            paid = await used();
            // The response has been debited, and is about to be written.
            if (how === 'noticed') socket.reset();
            else socket.resetUnnoticed();
            const share = await original(raw, body);
            resolve(share);
            return share;
          };
        });
        send();
        expect([how, await settled]).toEqual([how, 0]);
        responseWriter.send = original;
        expect(paid).toBeGreaterThan(0);
        await expect.poll(() => used()).toBe(1);
        expect(socket.taken).toHaveLength(0);
      }
    },
  );
});

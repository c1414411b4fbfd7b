import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, type MockInstance, onTestFinished, test, vi } from 'vitest';
import { LedgerUnavailable, OutcomeUnknown } from '../../proxy/ledger/ledger.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();
let geoid: string;
let body: string;
let port: number;
beforeAll(async () => {
  port = await proxy.listen();
  const [{ manifest: county }] = proxy.releases.current.counties;
  const { geoids } = await proxy.releases.current.index(county);
  const origins = Array.from(geoids.subarray(0, 250), (geoid) => String(geoid).padStart(15, '0'));
  [geoid] = origins.slice(100);
  body = JSON.stringify({ origins });
});

/**
 * Requests the POIs of 250 blocks, some megabytes, and reads until `stop` returns true, given the
 * bytes received of the body and its length.
 */
function askForMuch(
  key: string,
  stop: (received: number, length: number) => boolean,
  headers: Record<string, string> = {},
): Promise<{ socket: Socket; text: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const socket = connect(port, '127.0.0.1', () => {
      const head = [
        'POST /v1/blocks/pois HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    });
    socket.on('error', () => {});
    socket.on('close', () => reject(new Error('closed early')));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      received += chunk.length;
      const [head] = String(chunks[0]).split('\r\n\r\n', 1);
      const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
      if (!stop(received - head.length - 4, length)) return;
      socket.pause();
      resolve({ socket, text: Buffer.concat(chunks).toString() });
    });
  });
}

const all = (received: number, length: number) => received === length;
const chargedIn = (text: string) => Number(/x-tokens-charged: (\d+)/.exec(text)?.[1]);
const rowsIn = (text: string) => text.split('"dest_id":').length - 1;
const TOKENS = 200_000;

async function books(id: string) {
  const balance = await proxy.balance(id);
  const used = (await proxy.ledger.usage(id)).reduce((sum, { tokens }) => sum + tokens, 0);
  expect(balance + used).toBe(TOKENS);
  return used;
}

test('a response cut off by a reset is charged as far as the kernel accepted it', async () => {
  const { id, key } = await proxy.customer({ tokens: TOKENS });
  const { socket, text } = await askForMuch(key, (received) => received > 200_000);
  const charged = chargedIn(text);
  expect(charged).toBeGreaterThan(20_000);
  expect(await books(id)).toBe(charged);
  socket.resetAndDestroy();
  await expect.poll(() => books(id)).toBeLessThan(charged);
  const used = await books(id);
  expect(used).toBeGreaterThanOrEqual(rowsIn(text));
});

test('a response written to a reset connection, which Node reports as finished, costs the minimum', async () => {
  const { id, key } = await proxy.customer({ tokens: TOKENS });
  const { responseWriter } = proxy.app.services;
  const send = responseWriter.send.bind(responseWriter);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const [isFinished, paid] = await new Promise<[boolean, number]>((resolve) => {
    responseWriter.send = async (raw, ...rest) => {
      const used = await books(id);
      let hasFinished = false;
      raw.once('finish', () => {
        hasFinished = true;
      });
      // Continues in the poll phase, as after a commit by the writer's thread: the kernel detects a
      // reset at once, but Node only in the next turn of the event loop.
      await stat('.');
      socket.resetAndDestroy();
      const share = await send(raw, ...rest);
      resolve([hasFinished, used]);
      return share;
    };
    socket.write(
      `GET /v1/blocks/${geoid}/summary HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
  });
  responseWriter.send = send;
  expect([isFinished, paid > 0]).toEqual([true, true]);
  await expect.poll(() => books(id)).toBe(1);
});

test('a response whose connection was ended by a malformed request behind it costs nothing', async () => {
  const { id, key } = await proxy.customer({ tokens: TOKENS });
  let charged = 0;
  for (let visit = 0; visit < 10; visit++) {
    const route = visit % 2 === 0 ? 'summary' : 'pois';
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.write(
      `GET /v1/blocks/${geoid}/${route} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n\0\0\r\n\r\n`,
    );
    await once(socket, 'close');
    charged += chargedIn(text) || 0;
    expect(text).toContain('HTTP/1.1 400');
    await expect.poll(() => books(id)).toBe(charged);
  }
});

test('a reader who stops just before the end, which the kernel has accepted, gets no refund', async () => {
  const { id, key } = await proxy.customer({ tokens: TOKENS });
  const { socket, text } = await askForMuch(key, (received, length) => received > length - 200_000);
  const charged = chargedIn(text);
  expect(rowsIn(text)).toBeLessThan(charged);
  await expect.poll(() => proxy.app.services.responseWriter.waiting).toBe(0);
  socket.resetAndDestroy();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await books(id)).toBe(charged);
});

/** Lets the next client leave, known to the server, once `method` of the ledger has been called. */
function leavesAfter(method: 'admit' | 'debitOnce'): { leave: () => void } {
  const leaving = { leave: () => {} };
  const original = proxy.ledger[method] as (...args: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(proxy.ledger, method) as unknown as MockInstance<typeof original>;
  onTestFinished(() => spy.mockRestore());
  const connected = once(proxy.app.server, 'connection');
  spy.mockImplementationOnce(async (...args) => {
    const [connection] = await connected;
    const result = await original.apply(proxy.ledger, args);
    // A reset is an error, by which `once` would reject.
    const closed = new Promise((resolve) => connection.once('close', resolve));
    leaving.leave();
    await closed;
    return result;
  });
  return leaving;
}

test('one who has left before the debit is not charged, not even for a moment', async () => {
  const { id, key } = await proxy.customer({ tokens: TOKENS });
  const debit = vi.spyOn(proxy.ledger, 'debit');
  onTestFinished(() => debit.mockRestore());
  for (const method of ['GET', 'HEAD']) {
    const leaving = leavesAfter('admit');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    leaving.leave = () => socket.resetAndDestroy();
    socket.write(
      `${method} /v1/blocks/${geoid}/summary HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    await once(socket, 'close');
    // A response to a later request of the same kind shows that the abandoned one has ended.
    const { headers } = await proxy.get(`/v1/blocks/${geoid}/summary`, key);
    expect(debit).toHaveBeenCalledOnce();
    debit.mockClear();
    expect(Number(headers['x-tokens-charged'])).toBeGreaterThan(1);
  }
  expect(await proxy.ledger.usage(id)).toMatchObject([{ requests: 2 }]);
});

test('a response never says that nothing was charged where that is not known', async () => {
  const { key } = await proxy.customer({ tokens: TOKENS });
  const debit = vi.spyOn(proxy.ledger, 'debit');
  onTestFinished(() => debit.mockRestore());
  const answered = async (error: Error) => {
    debit.mockRejectedValueOnce(error);
    const response = await proxy.get(`/v1/blocks/${geoid}/summary`, key);
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
    return response.json().detail;
  };
  expect(await answered(new LedgerUnavailable('away'))).toContain('nothing was charged');
  const unknown = new OutcomeUnknown('lost', { cause: null });
  expect(await answered(unknown)).toContain('whether this request was charged is unknown');
});

test('with an Idempotency-Key, one who leaves before the response and requests it again is charged once', async () => {
  const { id, key } = await proxy.customer({ tokens: TOKENS });
  const again = { 'Idempotency-Key': 'left' };
  const leaving = leavesAfter('debitOnce');
  const left = new Promise<void>((resolve) => {
    leaving.leave = () => {
      first.resetAndDestroy();
      resolve();
    };
  });
  const first = connect(port, '127.0.0.1');
  first.on('error', () => {});
  first.write(
    `POST /v1/blocks/pois HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nIdempotency-Key: left\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  await left;
  await expect.poll(() => books(id)).toBe(1);
  const replayed = await askForMuch(key, all, again);
  const cost = rowsIn(replayed.text);
  expect(replayed.text).toMatch(/idempotency-replayed: true/);
  expect(chargedIn(replayed.text)).toBe(cost - 1);
  expect(await books(id)).toBe(cost);
  replayed.socket.destroy();
});

test('with an Idempotency-Key, a response cut off and requested again is charged once', async () => {
  const { id, key } = await proxy.customer({ tokens: TOKENS });
  const again = { 'Idempotency-Key': 'cut off' };
  const { socket, text } = await askForMuch(key, (received) => received > 200_000, again);
  const charged = chargedIn(text);
  socket.resetAndDestroy();
  await expect.poll(() => books(id)).toBeLessThan(charged);
  const repaid = charged - (await books(id));
  const replayed = await askForMuch(key, all, again);
  expect(replayed.text).toMatch(/idempotency-replayed: true/);
  expect(chargedIn(replayed.text)).toBe(repaid);
  expect(rowsIn(replayed.text)).toBe(charged);
  expect(await books(id)).toBe(charged);
  replayed.socket.destroy();
});

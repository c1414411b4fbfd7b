import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Child } from '../../infra/processes/child.ts';
import type { Order, Report } from '../../infra/processes/messages.ts';
import { RateWindow } from '../../portal/accounts/rate-window.ts';
import type { Latest } from '../../shards/manifest.ts';

/** A process at the far end of the wire, which says what the test has it say. */
class FakeWorker extends EventEmitter {
  readonly process = { pid: 7, kill: () => true };
  readonly heard: string[] = [];
  isConnected = () => true;
  send(order: Order): void {
    if (order.order === 'prepare') this.heard.push(`prepare ${order.latest.sha256}`);
    if (order.order === 'swap') this.heard.push(`swap ${order.sha256}`);
  }
  says(report: Report): void {
    this.emit('message', report);
  }
}

const latest = (sha256: string) => ({ sha256 }) as Latest;
const turn = () => vi.advanceTimersByTimeAsync(0);
let worker: FakeWorker;
let child: Child;

beforeEach(() => {
  vi.useFakeTimers();
  worker = new FakeWorker();
  vi.spyOn(cluster, 'fork').mockReturnValue(worker as unknown as Worker);
  const rates = { accounts: new RateWindow(1), addresses: new RateWindow(1) };
  child = new Child({} as never, latest('old'), rates);
  worker.says({ report: 'serving', sha256: 'old' });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a late word about one release does not pass for a word about another', async () => {
  const slow = child.prepare(latest('a'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await slow).toMatch(/^process 7 has not prepared it within 60 s$/);

  const next = child.prepare(latest('b'));
  await turn();
  worker.says({ report: 'prepared', sha256: 'a', fault: null });
  await turn();
  expect(child.isPrepared(latest('b'))).toBe(false);
  worker.says({ report: 'prepared', sha256: 'b', fault: 'not whole' });
  expect(await next).toBe('not whole');
});

test('orders about releases are given one after the other, and each hears its own answer', async () => {
  const both = Promise.all([child.prepare(latest('a')), child.prepare(latest('b'))]);
  await turn();
  expect(worker.heard).toEqual(['prepare a']);
  worker.says({ report: 'prepared', sha256: 'a', fault: 'of a' });
  await turn();
  expect(worker.heard).toEqual(['prepare a', 'prepare b']);
  worker.says({ report: 'prepared', sha256: 'b', fault: null });
  expect(await both).toEqual(['of a', null]);
});

test('a process serves another release when it says so, and opens one anew that it did not swap to', async () => {
  const prepared = child.prepare(latest('a'));
  await turn();
  worker.says({ report: 'prepared', sha256: 'a', fault: null });
  await prepared;

  const dropped = child.swap(latest('a'));
  await turn();
  expect(child.serves).toBe('old');
  worker.says({ report: 'swapped', sha256: 'a', fault: 'another is open' });
  expect(await dropped).toBe('another is open');
  expect([child.serves, child.isPrepared(latest('a'))]).toEqual(['old', false]);

  const swapped = child.swap(latest('a'));
  await turn();
  worker.says({ report: 'swapped', sha256: 'a', fault: null });
  await swapped;
  expect(child.serves).toBe('a');
});

test('a process that is too busy to say what it has counted, or dies, has counted what it said last', async () => {
  const metrics = [{ name: 'requests' }] as never;
  const first = child.metrics();
  worker.says({ report: 'metrics', metrics });
  expect(await first).toBe(metrics);
  const late = child.metrics();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await late).toBe(metrics);
  const dead = child.metrics();
  worker.emit('exit', null, 'SIGKILL');
  expect(await dead).toBe(metrics);
});

test('a process that dies as it opens a release holds up none of the others', async () => {
  const said = vi.fn();
  child.prepare(latest('a')).then(said);
  await turn();
  worker.emit('exit', null, 'SIGKILL');
  await turn();
  expect(said).toHaveBeenCalledWith(null);
});

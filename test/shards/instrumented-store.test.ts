import { expect, test } from 'vitest';
import { InstrumentedStore } from '../../shards/store/instrumented-store.ts';
import type { Store } from '../../shards/store/store.ts';

const ref = { name: 'kind/object.tta', bytes: 1000, sha256: 'f' };

/** A store whose calls return their name and arguments, and a list of the intercepted calls. */
function recorded() {
  const called: unknown[] = [];
  const call =
    (name: string) =>
    async (...args: unknown[]) => {
      called.push([name, ...args]);
      return [name, ...args];
    };
  const names = ['readRange', 'readWhole', 'stat', 'presignedUrl', 'close'];
  const calls = Object.fromEntries(names.map((name) => [name, call(name)]));
  const inner = { location: 'here', ...calls } as unknown as Store;
  const seen: unknown[] = [];
  const store = new InstrumentedStore(inner, async (what, call) => {
    seen.push(what);
    const before = called.length;
    const outcome = await call();
    // Only the interceptor makes the call.
    expect(called.length).toBe(before + 1);
    return outcome;
  });
  return { store, seen };
}

test('reads are intercepted with their object and the bytes requested; other calls are passed on', async () => {
  const { store, seen } = recorded();
  expect(store.location).toBe('here');
  expect(await store.readRange(ref, 5, 70)).toEqual(['readRange', ref, 5, 70]);
  expect(await store.readWhole('latest.json')).toEqual(['readWhole', 'latest.json']);
  expect(await store.stat('kind/a')).toEqual(['stat', 'kind/a']);
  expect(await store.presignedUrl('kind/b', 9)).toEqual(['presignedUrl', 'kind/b', 9]);
  expect(await store.close()).toEqual(['close']);
  expect(seen).toEqual([
    { operation: 'range', object: ref.name, bytes: 70 },
    { operation: 'whole', object: 'latest.json', bytes: 0 },
    { operation: 'stat', object: 'kind/a', bytes: 0 },
  ]);
});

test('a call that an interceptor refuses is not made', async () => {
  const inner = { stat: () => expect.fail('it was called') } as unknown as Store;
  const refusing = new InstrumentedStore(inner, async () => Promise.reject(new Error('busy')));
  await expect(refusing.stat('kind/a')).rejects.toThrow('busy');
});

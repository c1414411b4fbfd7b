import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findGarbage } from '../../builder/publish/garbage.ts';
import type { StoredObject } from '../../shards/store/store.ts';
import { forAll } from '../support/for-all.ts';

const CUTOFF = 100;

/** Stores of a few objects, with manifests and receipts that name some of them. */
const stores = fc
  .record({
    objects: fc.array(fc.nat(200), { minLength: 1, maxLength: 12 }),
    manifests: fc.array(
      fc.record({ at: fc.nat(200), names: fc.array(fc.nat(11)), wasCurrent: fc.boolean() }),
      { minLength: 1, maxLength: 6 },
    ),
    receipts: fc.array(fc.record({ at: fc.nat(200), names: fc.array(fc.nat(11)) }), {
      maxLength: 6,
    }),
    leftovers: fc.array(fc.nat(200), { maxLength: 3 }),
    current: fc.nat(5),
    keep: fc.nat(4),
  })
  .map(({ objects, manifests, receipts, leftovers, current, keep }) => {
    const named = new Map<string, string[]>();
    const file = (name: string, modifiedMs: number): StoredObject => ({
      name,
      bytes: 1,
      modifiedMs,
    });
    const naming = (folder: string) => (entry: { at: number; names: number[] }, i: number) => {
      const name = `${folder}/${i}.json`;
      named.set(
        name,
        entry.names.map((n) => `pois/${n % objects.length}.tta`),
      );
      return file(name, entry.at);
    };
    return {
      files: [
        ...objects.map((at, i) => file(`pois/${i}.tta`, at)),
        ...manifests.map(naming('manifests')),
        ...receipts.map(naming('receipts')),
        ...manifests.flatMap(({ wasCurrent }, i) =>
          wasCurrent ? [file(`published/${i}.json`, 0)] : [],
        ),
        ...leftovers.map((at, i) => file(`pois/${i}.tta.${i}.tmp`, at)),
      ],
      named,
      retention: {
        current: `manifests/${current % manifests.length}.json`,
        keep,
        youngerThanMs: CUTOFF,
      },
    };
  });

type Case = typeof stores extends fc.Arbitrary<infer T> ? T : never;

const collect = ({ files, named, retention }: Case) => {
  const isLeftover = ({ name }: StoredObject) => name.endsWith('.tmp');
  const contents = {
    objects: files.filter((file) => !isLeftover(file)),
    leftovers: files.filter(isLeftover),
  };
  return findGarbage(contents, retention, async ({ name }) => named.get(name)!);
};

const holds = (property: (store: Case) => Promise<void>) => forAll(500, stores, property);

test('a collection keeps young objects, and the current release with everything it needs', () =>
  holds(async (store) => {
    const { remove } = await collect(store);
    const gone = new Set(remove.map(({ name }) => name));
    expect(remove.filter(({ modifiedMs }) => modifiedMs > CUTOFF)).toEqual([]);
    const { current } = store.retention;
    for (const name of [current, ...store.named.get(current)!]) expect(gone).not.toContain(name);
  }));

test('a collection keeps the requested number of other releases, first the newest that were current', () =>
  holds(async (store) => {
    const { kept, remove } = await collect(store);
    const others = kept.filter(({ name }) => name !== store.retention.current);
    const gone = remove.filter(({ name }) => name.startsWith('manifests/'));
    if (gone.length > 0) expect(others.length).toBeGreaterThanOrEqual(store.retention.keep);
    const names = new Set(store.files.map(({ name }) => name));
    const wasCurrent = ({ name }: StoredObject) =>
      names.has(name.replace('manifests', 'published'));
    for (const old of gone) {
      for (const other of others) {
        if (other.modifiedMs >= old.modifiedMs) continue;
        // One to roll back to is kept rather than a newer one that was refused.
        expect([wasCurrent(other), wasCurrent(old)]).toEqual([true, false]);
      }
      if (!wasCurrent(old)) continue;
      for (const { modifiedMs } of others.filter((other) => !wasCurrent(other))) {
        expect(modifiedMs).toBeGreaterThan(CUTOFF);
      }
    }
  }));

test('a collection interrupted at any point leaves no manifest or receipt without the objects it names', () =>
  holds(async (store) => {
    const { remove } = await collect(store);
    const left = new Map(store.files.map((file) => [file.name, file]));
    for (const { name } of remove) {
      left.delete(name);
      for (const [owner, names] of store.named) {
        if (left.has(owner)) for (const needed of names) expect([...left.keys()]).toContain(needed);
      }
    }
  }));

test('every remaining object is needed by a release or a young receipt, or is young', () =>
  holds(async (store) => {
    const { kept, remove } = await collect(store);
    const gone = new Set(remove);
    const youngReceipts = store.files.filter(
      ({ name, modifiedMs }) => name.startsWith('receipts/') && modifiedMs > CUTOFF,
    );
    const needed = new Set(
      [...kept, ...youngReceipts].flatMap(({ name }) => store.named.get(name)!),
    );
    for (const file of store.files) {
      if (gone.has(file) || file.modifiedMs > CUTOFF) continue;
      if (file.name.endsWith('.tmp')) expect.unreachable(`${file.name} is left`);
      if (file.name.startsWith('pois/')) expect(needed).toContain(file.name);
    }
  }));

test('collecting again finds nothing', () =>
  holds(async (store) => {
    const { remove } = await collect(store);
    const gone = new Set(remove);
    const again = await collect({ ...store, files: store.files.filter((f) => !gone.has(f)) });
    expect(again.remove).toEqual([]);
  }));

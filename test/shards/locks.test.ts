import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { HeldLock } from '../../shards/store/held-locks.ts';
import { isLocked, takeLock } from '../../shards/store/lock-file.ts';
import { type LockObject, takeObjectLock } from '../../shards/store/s3/s3-lock.ts';
import { forAll } from '../support/for-all.ts';
import { reusedName } from '../support/process-names.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

/** Counts the concurrent holders of a lock. */
class Room {
  inside = 0;
  most = 0;
  entered = 0;

  enter(): void {
    this.entered++;
    this.most = Math.max(this.most, ++this.inside);
  }

  leave(): void {
    this.inside--;
  }
}

/**
 * Runs several tasks one at a time, in a given order and for a given number of steps each. A step
 * ends where a task waits for its turn.
 */
class Turns {
  readonly #whose = new AsyncLocalStorage<number>();
  readonly #waiting = new Map<number, () => void>();
  readonly #order: Iterator<number>;
  #works: number;

  constructor(works: number, order: readonly (readonly [who: number, steps: number])[]) {
    this.#works = works;
    this.#order = Turns.#steps(order);
  }

  static *#steps(order: readonly (readonly [number, number])[]): Generator<number> {
    for (;;) for (const [who, steps] of order) for (let i = 0; i < steps; i++) yield who;
  }

  async take(who: number, work: () => Promise<void>): Promise<void> {
    try {
      await this.#whose.run(who, work);
    } finally {
      this.#works--;
      // While storage is in use, every promise of the process is tracked.
      if (this.#works === 0) this.#whose.disable();
      this.#goOn();
    }
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(this.#whose.getStore()!, resolve);
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#works === 0 || this.#waiting.size < this.#works) return;
    const waiting = [...this.#waiting.keys()].sort();
    const next = waiting[this.#order.next().value % waiting.length];
    const resume = this.#waiting.get(next)!;
    this.#waiting.delete(next);
    resume();
  }
}

describe('a lock file', () => {
  /** An impossible process id, since Linux counts to 2^22 at most. */
  const DEAD = `${reusedName(2 ** 22 + 1)} 00000000-0000-4000-8000-000000000000`;
  const STEPS = ['link', 'readFile', 'rename', 'rm', 'stat', 'utimes', 'writeFile'] as const;
  const folder = folderOfTests();

  /** Makes `wait` delay the result of each disk operation while `run` runs. */
  async function heldBack(
    wait: (step: string, file: string) => Promise<unknown> | undefined,
    run: () => Promise<void>,
  ): Promise<void> {
    const own = Object.fromEntries(STEPS.map((step) => [step, fs[step]]));
    for (const step of STEPS) {
      const original = own[step] as (...args: unknown[]) => Promise<unknown>;
      Object.assign(fs, {
        async [step](...args: unknown[]) {
          const [came] = await Promise.allSettled([original(...args)]);
          await wait(step, String(args[step === 'link' || step === 'rename' ? 1 : 0]));
          if (came.status === 'rejected') throw came.reason;
          return came.value;
        },
      });
    }
    syncBuiltinESMExports();
    try {
      await run();
    } finally {
      Object.assign(fs, own);
      syncBuiltinESMExports();
    }
  }

  test('with a dead owner is refused to the contender that was delayed until another had taken it', async () => {
    const file = path.join(folder, 'held-up.lock');
    await fs.writeFile(file, DEAD);
    let releaseReads = () => {};
    const held = new Promise<void>((resolve) => {
      releaseReads = resolve;
    });
    let reads = 0;
    const hold = (step: string, read: string) =>
      step === 'readFile' && read === file && ++reads === 1 ? held : undefined;
    await heldBack(hold, async () => {
      const second = takeLock(file);
      await expect.poll(() => reads).toBe(1);
      const first = await takeLock(file);
      expect(first.taken).toBe(true);
      releaseReads();
      expect(await second).toEqual({ taken: false, owner: `process ${process.pid}` });
      expect(await isLocked(file)).toBe(true);
      if (first.taken) await first.release();
      expect(await isLocked(file)).toBe(false);
    });
  });

  test('is taken over, and nothing is left of it, after any number of deaths amid a takeover', async () => {
    const file = path.join(folder, 'often.lock');
    for (let deaths = 0; deaths < 40; deaths++) {
      // The process dies once it has linked a lock into place, and leaves it there.
      const before = new Set(await fs.readdir(folder));
      let isLinked = false;
      const dies = (step: string) => {
        if (step !== 'link' || isLinked) return undefined;
        return fs.readdir(folder).then(async (names) => {
          const made = names.filter((name) => name.endsWith('lock') && !before.has(name));
          if (made.length === 0) return;
          isLinked = true;
          for (const name of made) {
            await fs.writeFile(path.join(folder, name), deaths % 2 === 0 ? DEAD : '');
          }
          throw new Error('killed');
        });
      };
      await heldBack(dies, () => expect(takeLock(file)).rejects.toThrow('killed'));
      expect(isLinked).toBe(true);
    }
    const lock = await takeLock(file);
    expect(lock.taken).toBe(true);
    if (lock.taken) await lock.release();
    expect((await fs.readdir(folder)).filter((name) => name.startsWith('often'))).toEqual([]);
  });

  test('never has two holders at once, in whatever order disk operations interleave', () =>
    forAll(
      100,
      fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 12 })), { minLength: 20 }),
      fc.integer({ min: 2, max: 3 }),
      fc.constantFrom(null, DEAD, 'no number'),
      fc.nat(1e9),
      async (order, takers, before, name) => {
        const file = path.join(folder, `${name}.lock`);
        if (before !== null) await fs.writeFile(file, before);
        const room = new Room();
        const turns = new Turns(takers, order);
        await heldBack(
          () => turns.wait(),
          async () => {
            const one = async () => {
              const lock = await takeLock(file);
              if (!lock.taken) return;
              room.enter();
              for (let step = 0; step < 6; step++) await turns.wait();
              room.leave();
              await lock.release();
            };
            await Promise.all(Array.from({ length: takers }, (_, who) => turns.take(who, one)));
          },
        );
        expect(room.most).toBe(1);
        expect(room.entered).toBeGreaterThan(0);
        const left = (await fs.readdir(folder)).filter((entry) => entry.startsWith(`${name}.`));
        expect(left).toEqual([]);
      },
    ));
});

describe('a lock object', () => {
  const LAPSES_MS = 60_000;

  /** A contender for the lock, whose connection to the server may be cut. */
  interface Writer {
    isCutOff: boolean;
    lock: HeldLock | null;
  }

  /** An object on a server whose clock is controlled by tests. */
  class PlainObject {
    content: { text: string; identity: string; atMs: number; by: Writer } | null = null;
    private versions = 0;

    seenBy(writer: Writer): LockObject {
      const get = async () => {
        if (writer.isCutOff) throw new Error('no way to the server');
        return this.content;
      };
      return {
        read: async () => {
          const there = await get();
          return there && { ...there, ageMs: performance.now() - there.atMs };
        },
        replace: async (text, expected) => {
          if (((await get())?.identity ?? null) !== expected) return null;
          const identity = `version ${++this.versions}`;
          this.content = { text, identity, atMs: performance.now(), by: writer };
          return identity;
        },
        remove: async () => {
          await get();
          this.content = null;
        },
      };
    }

    async lockOf(writer: Writer): Promise<HeldLock | null> {
      const lock = await takeObjectLock(this.seenBy(writer), LAPSES_MS);
      return lock.taken ? lock : null;
    }
  }

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const newWriter = (): Writer => ({ isCutOff: false, lock: null });

  test('is not removed by its first owner, who was cut off until it expired and was taken over', async () => {
    const object = new PlainObject();
    const [early, late, third] = [newWriter(), newWriter(), newWriter()];
    const first = (await object.lockOf(early))!;
    early.isCutOff = true;
    await vi.advanceTimersByTimeAsync(LAPSES_MS + 1);
    const second = (await object.lockOf(late))!;
    early.isCutOff = false;
    await first.release();
    expect(object.content?.by).toBe(late);
    expect(await second.isHeld()).toBe(true);
    expect(await object.lockOf(third)).toBeNull();
    await second.release();
    expect(object.content).toBeNull();
  });

  test('that its owner could not renew for a while is removed when its owner releases it', async () => {
    const object = new PlainObject();
    const owner = newWriter();
    const lock = (await object.lockOf(owner))!;
    owner.isCutOff = true;
    await vi.advanceTimersByTimeAsync(0.9 * LAPSES_MS);
    owner.isCutOff = false;
    await lock.release();
    expect(object.content).toBeNull();
  });

  test('that was lost is not held again once it is free', async () => {
    const object = new PlainObject();
    const [early, late] = [newWriter(), newWriter()];
    const first = (await object.lockOf(early))!;
    early.isCutOff = true;
    await vi.advanceTimersByTimeAsync(LAPSES_MS + 1);
    const second = (await object.lockOf(late))!;
    early.isCutOff = false;
    expect(await first.isHeld()).toBe(false);
    await second.release();
    await vi.advanceTimersByTimeAsync(LAPSES_MS);
    expect(await first.isHeld()).toBe(false);
    expect(object.content).toBeNull();
    await first.release();
  });

  test('is never older than a fifth of its lifetime while its owner is connected', async () => {
    const object = new PlainObject();
    const lock = (await object.lockOf(newWriter()))!;
    const begunMs = performance.now();
    for (let ms = 0; ms < 3 * LAPSES_MS; ms += LAPSES_MS / 50) {
      await vi.advanceTimersByTimeAsync(LAPSES_MS / 50);
      expect(performance.now() - object.content!.atMs).toBeLessThan(LAPSES_MS / 5);
    }
    // Each renewal is a write, so there should be few.
    expect(Number(object.content!.identity.split(' ')[1])).toBeLessThan(25);
    expect(performance.now() - begunMs).toBeGreaterThan(LAPSES_MS);
    await lock.release();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that another takes at the same moment names that owner, if it is still there', async () => {
    const theirs = JSON.stringify({ owner: 'process 7 on host', lapses_ms: 9, renewal: 'x' });
    for (const [text, owner] of [
      [theirs, 'process 7 on host'],
      [null, 'another process'],
    ]) {
      let reads = 0;
      const raced: LockObject = {
        read: async () =>
          ++reads === 1 || text === null ? null : { text, identity: 'x', ageMs: 0 },
        replace: async () => null,
        remove: () => expect.fail('it is not ours'),
      };
      expect(await takeObjectLock(raced, LAPSES_MS)).toEqual({ taken: false, owner });
    }
  });

  interface Moment {
    readonly who: number;
    readonly does: 'take' | 'release' | 'ask' | 'lose the way' | 'find the way';
    readonly afterMs: number;
  }
  const moment: fc.Arbitrary<Moment> = fc.record({
    who: fc.nat(1),
    does: fc.constantFrom('take', 'release', 'ask', 'lose the way', 'find the way'),
    afterMs: fc.constantFrom(0, 0, 0, 5_000, LAPSES_MS / 2, LAPSES_MS + 1),
  });

  test('never has two holders, whichever contenders are cut off, return, request and release, and when', () =>
    forAll(600, fc.array(moment, { maxLength: 40, size: 'max' }), async (moments) => {
      const object = new PlainObject();
      const writers = [newWriter(), newWriter()];
      for (const { who, does, afterMs } of moments) {
        await vi.advanceTimersByTimeAsync(afterMs);
        const writer = writers[who];
        const before = object.content;
        if (does === 'lose the way') writer.isCutOff = true;
        if (does === 'find the way') writer.isCutOff = false;
        if (does === 'ask' && (await writer.lock?.isHeld().catch(() => false))) {
          expect(object.content?.by).toBe(writer);
        }
        if (does === 'take' && writer.lock === null) {
          writer.lock = await object.lockOf(writer).catch(() => null);
          if (writer.lock !== null) expect(object.content?.by).toBe(writer);
        }
        if (does === 'release' && writer.lock !== null) {
          await writer.lock.release().catch(() => {});
          writer.lock = null;
          if (before?.by !== writer) expect(object.content).toBe(before);
        }
      }
      for (const writer of writers) {
        writer.isCutOff = false;
        await writer.lock?.release();
      }
    }));
});

import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { wholeOf } from '../../shards/content.ts';
import { crc32c } from '../../shards/crc32c.ts';
import { ShardError } from '../../shards/errors.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import {
  decodeRow,
  encodeRow,
  MINUTES,
  type ModeRow,
  TENTHS,
  type TimeUnit,
} from '../../shards/matrix/row-codec.ts';
import { Spool } from '../../shards/spool.ts';
import { VarintWriter } from '../../shards/varint.ts';
import { forAll } from '../support/for-all.ts';
import { expectRightOrNamed } from '../support/harmed.ts';
import { LooseObjects } from '../support/loose-objects.ts';

const store = LooseObjects.open();
afterAll(() => store.close());

/** A row whose targets come in runs of neighbours, as blocks that are reached together do. */
const runsRow = (targets: number, { least, most }: TimeUnit): fc.Arbitrary<ModeRow> =>
  fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 12 })), { maxLength: 8 }).chain((gaps) => {
    const ordinals: number[] = [];
    let next = 0;
    for (const [gap, run] of gaps) {
      next += gap;
      for (let i = 0; i < run && next < targets; i++) ordinals.push(next++);
    }
    const times = fc.array(fc.integer({ min: least, max: most }), {
      minLength: ordinals.length,
      maxLength: ordinals.length,
    });
    return times.map((list) => ({
      targets: Uint32Array.from(ordinals),
      times: Uint16Array.from(list),
    }));
  });

const ids = (most: number) =>
  fc
    .uniqueArray(fc.maxSafeNat(), { minLength: 1, maxLength: most })
    .map((list) => list.sort((a, b) => a - b));

interface Drawn {
  readonly origins: number[];
  readonly targets: number[];
  readonly modes: number;
  readonly unit: TimeUnit;
  readonly attributes: Uint8Array;
  readonly rows: ModeRow[][];
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    origins: ids(10),
    targets: ids(80),
    modes: fc.integer({ min: 1, max: 3 }),
    unit: fc.constantFrom(TENTHS, MINUTES),
    attributes: fc.uint8Array({ maxLength: 40 }),
  })
  .chain((shape) =>
    fc
      .array(
        fc.array(runsRow(shape.targets.length, shape.unit), {
          minLength: shape.modes,
          maxLength: shape.modes,
        }),
        { minLength: shape.origins.length, maxLength: shape.origins.length },
      )
      .map((rows) => ({ ...shape, rows })),
  );

function encode({ rows, ...shape }: Drawn): Promise<Uint8Array> {
  const writer = new MatrixWriter(shape, new Spool('small enough for memory'));
  for (const row of rows) writer.row(row);
  return wholeOf(writer.finish());
}

describe('a travel-time matrix', () => {
  test('gives back its ids, attributes and rows: one at a time, and all in one go', () =>
    forAll(100, drawn, async (matrix) => {
      const opened = await Matrix.open(store, store.add(await encode(matrix)));
      expect([...opened.origins]).toEqual(matrix.origins);
      expect([...opened.targets]).toEqual(matrix.targets);
      expect([opened.modes, opened.unit]).toEqual([matrix.modes, matrix.unit]);
      expect([...opened.attributes]).toEqual([...matrix.attributes]);
      for (const [ordinal, row] of matrix.rows.entries()) {
        expect(await opened.row(ordinal)).toEqual(row);
      }
      const scanned = [];
      for await (const { modes } of opened.rows()) scanned.push(modes);
      expect(scanned).toEqual(matrix.rows);
    }));

  test('with any bit flipped, or cut short, gives what it held or a named error', () =>
    forAll(100, drawn, fc.nat(), async (matrix, where) =>
      expectRightOrNamed(await encode(matrix), where, async (harmed) => {
        const opened = await Matrix.open(store, store.add(harmed));
        expect([...opened.origins]).toEqual(matrix.origins);
        expect([...opened.targets]).toEqual(matrix.targets);
        for (const [ordinal, row] of matrix.rows.entries()) {
          expect(await opened.row(ordinal)).toEqual(row);
        }
      }),
    ));

  test('is not finished before every origin has its row', () => {
    const shape = { origins: [1, 2], targets: [3], modes: 1, unit: TENTHS };
    const writer = new MatrixWriter(shape, new Spool('never written'));
    const none = { targets: new Uint32Array(0), times: new Uint16Array(0) };
    expect(() => writer.row([none, none])).toThrow('2 modes');
    writer.row([none]);
    expect(() => writer.finish()).toThrow('1 rows for 2 origins');
  });
});

describe('a row written by a program that was wrong', () => {
  /** Any numbers as a row, with the sum that belongs to them. */
  function signed(ordinal: number, numbers: readonly number[], tail: Uint8Array): Uint8Array {
    const out = new VarintWriter();
    for (const number of numbers) out.uint(number);
    out.bytes(tail);
    const crc = crc32c(out.view(), ordinal);
    for (let shift = 0; shift < 32; shift += 8) out.byte((crc >>> shift) & 255);
    return out.view().slice();
  }

  test('is a named error or a row that a right one could have written', async () => {
    const TARGETS = 20;
    const number = fc.oneof(
      { weight: 4, arbitrary: fc.nat(12) },
      // What a 32-bit ordinal wraps at.
      fc.integer({ min: 2 ** 32 - 12, max: 2 ** 32 + 12 }),
      fc.maxSafeNat(),
    );
    await forAll(
      5000,
      fc.array(number, { minLength: 1, maxLength: 8 }),
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom(TENTHS, MINUTES),
      (numbers, tail, unit) => {
        let rows: ModeRow[];
        try {
          rows = decodeRow('object', 3, signed(3, numbers, tail), 1, TARGETS, unit);
        } catch (error) {
          expect(error).toBeInstanceOf(ShardError);
          return;
        }
        for (const { targets, times } of rows) {
          expect(times.length).toBe(targets.length);
          for (const [i, target] of targets.entries()) {
            expect(target).toBeLessThan(TARGETS);
            if (i > 0) expect(target).toBeGreaterThan(targets[i - 1]);
            expect(times[i]).toBeGreaterThanOrEqual(unit.least);
            expect(times[i]).toBeLessThanOrEqual(unit.most);
          }
        }
      },
    );
  });
});

test('a row whose targets do not ascend, or whose times no unit holds, is not written', () => {
  const row = (targets: number[], times: number[]) => [
    { targets: Uint32Array.from(targets), times: Uint16Array.from(times) },
  ];
  const write = (modes: ModeRow[]) => encodeRow(new VarintWriter(), 5, modes, TENTHS);
  expect(() => write(row([4, 4], [10, 10]))).toThrow('row 5: target 4 is out of order');
  expect(() => write(row([4], [9]))).toThrow('row 5: time 9 is not within 10 to 300');
  expect(() => write(row([4], [301]))).toThrow('row 5: time 301');
});

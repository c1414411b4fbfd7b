import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { crc32c } from '../../shards/codec/crc32c.ts';
import { stemSum } from '../../shards/codec/object-name.ts';
import { VarintWriter } from '../../shards/codec/varint.ts';
import { ShardError } from '../../shards/errors.ts';
import { MATRIX_KIND, Matrix } from '../../shards/matrix/matrix.ts';
import { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import {
  decodeRow,
  encodeRow,
  MINUTES,
  type ModeRow,
  TENTHS,
  type TimeUnit,
} from '../../shards/matrix/row-codec.ts';
import { writeEnvelope } from '../../shards/store/envelope.ts';
import { bufferBody } from '../../shards/store/put-body.ts';
import { Spool } from '../../shards/store/spool.ts';
import type { RangeSource } from '../../shards/store/store.ts';
import { expectRightOrNamed } from '../support/damaged-bytes.ts';
import { forAll } from '../support/for-all.ts';
import { UncheckedObjects } from '../support/unchecked-objects.ts';

const store = UncheckedObjects.open();
afterAll(() => store.close());

/** A row whose targets come in runs of neighbours, as blocks reached together do. */
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
  readonly targets: ArrayLike<number>;
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
  const writer = new MatrixWriter('object', shape, new Spool('small enough for memory'));
  for (const row of rows) writer.row(row);
  return bufferBody(writer.finish());
}

describe('a travel-time matrix', () => {
  test('returns its ids, attributes and rows, one at a time and all in one go', () =>
    forAll(100, drawn, async (matrix) => {
      const opened = await Matrix.open(store, store.add(await encode(matrix)));
      expect([...opened.origins]).toEqual(matrix.origins);
      expect([...opened.targets]).toEqual(Array.from(matrix.targets));
      expect([opened.modes, opened.unit]).toEqual([matrix.modes, matrix.unit]);
      expect([...opened.attributes]).toEqual([...matrix.attributes]);
      for (const [ordinal, row] of matrix.rows.entries()) {
        expect(await opened.row(ordinal)).toEqual(row);
      }
      const scanned = [];
      for await (const { modes } of opened.rows()) scanned.push(modes);
      expect(scanned).toEqual(matrix.rows);
    }));

  test('with any bit flipped, or truncated, returns its contents or raises a named error', () =>
    forAll(100, drawn, fc.nat(), async (matrix, where) =>
      expectRightOrNamed(await encode(matrix), where, async (harmed) => {
        const opened = await Matrix.open(store, store.add(harmed));
        expect([...opened.origins]).toEqual(matrix.origins);
        expect([...opened.targets]).toEqual(Array.from(matrix.targets));
        for (const [ordinal, row] of matrix.rows.entries()) {
          expect(await opened.row(ordinal)).toEqual(row);
        }
      }),
    ));

  /** A matrix in memory, which records its reads. */
  async function watched(matrix: Drawn) {
    const bytes = await encode(matrix);
    const reads: number[] = [];
    const source: RangeSource = {
      readRange: async (_ref, offset, length) => {
        reads.push(length);
        return bytes.subarray(offset, offset + length);
      },
    };
    const opened = await Matrix.open(source, { name: 'object', bytes: bytes.length, sha256: '' });
    reads.length = 0;
    return { opened, reads };
  }

  /**
   * A row of `count` targets, every second ordinal, each a minute away. It takes a head, 17 bits
   * per target, and a checksum.
   */
  const sparse = (count: number): ModeRow => ({
    targets: Uint32Array.from({ length: count }, (_, i) => 2 * i + 1),
    times: new Uint16Array(count).fill(10),
  });
  const bytesOf = (count: number) => (count === 0 ? 0 : 1 + count + Math.ceil((9 * count) / 8) + 4);

  test('is scanned in as few reads as possible, with a separate read for a longer row', async () => {
    const counts = [40, 8, 0, 8, 8, 40, 0];
    const { opened, reads } = await watched({
      origins: counts.map((_, i) => i),
      targets: Array.from({ length: 80 }, (_, i) => i),
      modes: 1,
      unit: TENTHS,
      attributes: new Uint8Array(0),
      rows: counts.map((count) => [sparse(count)]),
    });
    const scanned = async (most?: number) => {
      reads.length = 0;
      const found: number[] = [];
      for await (const { ordinal, modes } of opened.rows(most)) {
        expect(ordinal).toBe(found.length);
        found.push(modes[0].targets.length);
      }
      expect(found).toEqual(counts);
      return [...reads];
    };
    const [large, small] = [bytesOf(40), bytesOf(8)];
    expect(await scanned(2 * small)).toEqual([large, 2 * small, small, large]);
    expect(await scanned(2 * small - 1)).toEqual([large, small, small, small, large]);
    expect(await scanned(1)).toEqual([large, small, small, small, large]);
    expect(await scanned()).toEqual([2 * large + 3 * small]);
  });

  test('reads nothing for a row without targets, and one range for a row with targets', async () => {
    const { opened, reads } = await watched({
      origins: [5, 9],
      targets: [2, 4, 6],
      modes: 2,
      unit: TENTHS,
      attributes: Uint8Array.of(1, 2, 3),
      rows: [
        [sparse(0), sparse(0)],
        [sparse(1), sparse(0)],
      ],
    });
    expect(await opened.row(0)).toEqual([sparse(0), sparse(0)]);
    expect(reads).toEqual([]);
    await opened.row(1);
    expect(reads).toEqual([opened.rowRange(1).length]);
  });

  test('held in memory has the same rows, ordinals and bytes', () =>
    forAll(30, drawn, async (matrix) => {
      const opened = Matrix.fromBytes('object', await encode(matrix));
      for (const [ordinal, row] of matrix.rows.entries()) {
        expect(await opened.row(ordinal)).toEqual(row);
      }
      matrix.origins.forEach((id, i) => {
        expect(opened.originOrdinal(id)).toBe(i);
      });
      Array.from(matrix.targets).forEach((id, i) => {
        expect(opened.targetOrdinal(id)).toBe(i);
      });
      const numbers = 2 * matrix.origins.length + 1 + matrix.targets.length;
      expect(opened.byteLength).toBe(8 * numbers + opened.attributes.buffer.byteLength);
    }));

  describe('with a header from a faulty program', () => {
    const right = {
      META: [0, 1],
      ORIG: [1, 7],
      TARG: [1, 3],
      ATTR: [],
      RDIR: [0],
      ROWS: [],
    };
    const opening = (wrong: Partial<Record<keyof typeof right, number[]>>) => () => {
      const sections = Object.entries({ ...right, ...wrong }).map(([tag, bytes]) => ({
        tag,
        bytes: Uint8Array.from(bytes),
      }));
      return Matrix.fromBytes('object', writeEnvelope(MATRIX_KIND, sections));
    };

    test('is read correctly where it is valid', () => {
      const { unit, modes, origins, targets } = opening({ META: [1, 16] })();
      expect([unit, modes, [...origins], [...targets]]).toEqual([MINUTES, 16, [7], [3]]);
    });

    test.each([
      ['has an unknown unit or mode count', { META: [2, 1] }],
      ['has an unknown unit or mode count', { META: [0, 65] }],
      ['has mode 1 as the base of 1', { META: [0, 2, 0, 2] }],
      ['does not add up to its rows', { RDIR: [1] }],
      ['does not add up to its rows', { ROWS: [1] }],
      ['counts 9 ids', { ORIG: [9, 1] }],
    ])('%s', (problem, wrong) => {
      expect(opening(wrong)).toThrow(ShardError);
      expect(opening(wrong)).toThrow(`object: head: ${problem}`);
    });
  });

  test('is not written with ids that do not ascend', () => {
    for (const ids of [
      [3, 3],
      [4, 3],
    ]) {
      const shape = { origins: ids, targets: [3], modes: 1, unit: TENTHS };
      const writer = new MatrixWriter('object', shape, new Spool('small enough for memory'));
      for (const _ of ids) writer.row([sparse(0)]);
      expect(() => writer.finish()).toThrow(`id 3 comes after ${ids[0]}`);
    }
  });

  test('cannot be finished before every origin has its row', () => {
    const shape = { origins: [1, 2], targets: [3], modes: 1, unit: TENTHS };
    const writer = new MatrixWriter('object', shape, new Spool('never written'));
    const none = { targets: new Uint32Array(0), times: new Uint16Array(0) };
    expect(() => writer.row([none, none])).toThrow('2 modes');
    writer.row([none]);
    expect(() => writer.finish()).toThrow('1 rows of 2');
  });
});

/** Encodes any numbers as a row, with the matching checksum. */
function signed(ordinal: number, numbers: readonly number[], tail: Uint8Array): Uint8Array {
  const out = new VarintWriter();
  for (const number of numbers) out.uint(number);
  out.bytes(tail);
  const crc = crc32c(out.view(), crc32c(Buffer.from('object')) ^ ordinal);
  for (let shift = 0; shift < 32; shift += 8) out.byte((crc >>> shift) & 255);
  return out.view().slice();
}

describe('a row', () => {
  /** The targets of a row as the format defines them, in the encoding that takes fewer numbers. */
  function numbersOf(targets: readonly number[]): { numbers: number[]; isRuns: boolean } {
    const starts = targets.filter((target) => !targets.includes(target - 1));
    const ends = targets.filter((target) => !targets.includes(target + 1));
    const isRuns = 2 * starts.length < targets.length;
    const numbers = isRuns
      ? starts.flatMap((start, i) => [start - (i === 0 ? 0 : ends[i - 1] + 1), ends[i] - start])
      : targets.map((target, i) => target - (i === 0 ? 0 : targets[i - 1] + 1));
    return { numbers, isRuns };
  }

  /** Packs times into bytes, lowest bit first. */
  function packed(times: readonly number[], { least, bits }: TimeUnit): number[] {
    const text = times.map((time) =>
      [...(time - least).toString(2).padStart(bits, '0')].reverse().join(''),
    );
    const bytes = text.join('').match(/.{1,8}/g) ?? [];
    return bytes.map((byte) => Number.parseInt([...byte].reverse().join(''), 2));
  }

  test('is written byte for byte as its format specifies, as runs where that takes fewer numbers', () =>
    forAll(
      300,
      fc
        .constantFrom(TENTHS, MINUTES)
        .chain((unit) =>
          fc.tuple(fc.constant(unit), fc.array(runsRow(60, unit), { minLength: 1, maxLength: 3 })),
        ),
      fc.nat(9),
      ([unit, modes], ordinal) => {
        const out = new VarintWriter();
        out.byte(77);
        const length = encodeRow(out, stemSum('object'), ordinal, modes, unit);
        expect(out.length).toBe(1 + length);
        const written = out.view().subarray(1);
        if (modes.every(({ targets }) => targets.length === 0)) {
          expect(length).toBe(0);
          return;
        }
        const expected = new VarintWriter();
        const ways = modes.map(({ targets }) => numbersOf([...targets]));
        ways.forEach(({ isRuns }, m) => {
          expected.uint(modes[m].targets.length * 2 + Number(isRuns));
        });
        ways.forEach(({ numbers }, m) => {
          for (const number of numbers) expected.uint(number);
          expected.bytes(Uint8Array.from(packed([...modes[m].times], unit)));
        });
        expect([...written]).toEqual([...signed(ordinal, [], expected.view())]);
      },
    ));
});

describe('a row from a faulty program', () => {
  test.each([
    ['has bytes left over', [2, 0], [0, 0, 0]],
    ['has 21 of 20 targets', [42], []],
    ['has target 20 of 20', [2, 20], [0, 0]],
    ['has target 21 of 20', [5, 20, 1], [0, 0, 0]],
    ['has runs of more than 2 targets', [5, 0, 2], [0, 0, 0]],
    ['has time 301', [2, 0], [0x23, 0x01]],
  ])('%s, and is reported by object and number', (problem, numbers, tail) => {
    const bytes = signed(3, numbers, Uint8Array.from(tail));
    const decode = () => decodeRow('object', 3, bytes, 1, 20, TENTHS);
    expect(decode).toThrow(ShardError);
    expect(decode).toThrow(new RegExp(`^object: row 3: ${problem}$`));
  });

  test('raises a named error, or is one that a correct program could have written', async () => {
    const TARGETS = 20;
    const number = fc.oneof(
      { weight: 4, arbitrary: fc.nat(12) },
      // Numbers around the modulus at which a 32-bit ordinal wraps.
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

test('a row whose targets do not ascend, or whose times fit no unit, is not written', () => {
  const row = (targets: number[], times: number[]) => [
    { targets: Uint32Array.from(targets), times: Uint16Array.from(times) },
  ];
  const write = (modes: ModeRow[]) => encodeRow(new VarintWriter(), 0, 5, modes, TENTHS);
  expect(() => write(row([4, 4], [10, 10]))).toThrow('row 5: target 4 is out of order');
  expect(() => write(row([4], [9]))).toThrow('row 5: time 9 is not within 10 to 300');
  expect(() => write(row([4], [301]))).toThrow('row 5: time 301');
});

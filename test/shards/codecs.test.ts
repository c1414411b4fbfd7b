import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ordinalIn } from '../../shards/arrays/sorted.ts';
import { BlockIndex, type BlockRecord, LINK_STATUSES } from '../../shards/blocks/block-index.ts';
import { crc32c } from '../../shards/codec/crc32c.ts';
import { stemSum } from '../../shards/codec/object-name.ts';
import { VarintReader, VarintWriter } from '../../shards/codec/varint.ts';
import { ShardError } from '../../shards/errors.ts';
import { decodeDictionary, encodeDictionary } from '../../shards/matrix/matrix.ts';
import {
  decodeRow,
  encodeRow,
  MINUTES,
  type ModeRow,
  TENTHS,
  type TimeUnit,
} from '../../shards/matrix/row-codec.ts';
import {
  decodeNearestRow,
  encodeNearest,
  nearestRange,
  readNearestShape,
} from '../../shards/nearest/nearest.ts';
import { encodePoiTable, PoiTable } from '../../shards/pois/poi-table.ts';
import { damagedAt } from '../support/damaged-bytes.ts';
import { forAll } from '../support/for-all.ts';

/** Computes a CRC-32C bit by bit from its definition, independent of the lookup tables. */
function crcByBits(bytes: Uint8Array): number {
  let crc = 0xffff_ffffn;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0x82f63b78n : crc >> 1n;
  }
  return Number(crc ^ 0xffff_ffffn);
}

describe('CRC-32C', () => {
  test('matches the sums of RFC 3720', () => {
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
    expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
  });

  test('equals the definition, whole and in pieces', () =>
    forAll(100, fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
      const at = Math.min(cut, bytes.length);
      expect(crc32c(bytes)).toBe(crcByBits(bytes));
      expect(crc32c(bytes, crc32c(bytes, 0, 0, at), at)).toBe(crcByBits(bytes));
    }));
});

test('varints decode every integer below 2⁵³, and stop early rather than return a wrong one', async () => {
  const natural = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.constant(Number.MAX_SAFE_INTEGER));
  const signed = fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 });
  await forAll(100, fc.array(natural), fc.array(signed), (naturals, integers) => {
    const out = new VarintWriter(1);
    for (const value of naturals) out.uint(value);
    for (const value of integers) out.int(value);
    const reader = new VarintReader(out.view());
    expect(naturals.map(() => reader.uint())).toEqual(naturals);
    expect(integers.map(() => reader.int())).toEqual(integers.map((value) => value || 0));
    expect(reader.done).toBe(true);
    expect(() => reader.byte()).toThrow('ends early');
  });
});

test('a dictionary returns its ids and finds each of them, and no other', () =>
  forAll(100, fc.uniqueArray(fc.maxSafeNat()), fc.maxSafeNat(), (unsorted, other) => {
    const ids = [...unsorted].sort((a, b) => a - b);
    const decoded = decodeDictionary(encodeDictionary(ids));
    expect([...decoded]).toEqual(ids);
    for (const [i, id] of ids.entries()) expect(ordinalIn(decoded, id)).toBe(i);
    expect(ordinalIn(decoded, other)).toBe(ids.indexOf(other));
  }));

test('a dictionary is encoded as its length and the differences of its ids, and nothing else', () => {
  expect([...encodeDictionary([])]).toEqual([0]);
  expect([...encodeDictionary([0, 1, 5, 105])]).toEqual([4, 0, 1, 4, 100]);
});

const TARGETS = 500;
const modeRow = (unit: TimeUnit): fc.Arbitrary<ModeRow> =>
  fc.uniqueArray(fc.nat(TARGETS - 1)).chain((targets) =>
    fc
      .array(fc.integer({ min: unit.least, max: unit.most }), {
        minLength: targets.length,
        maxLength: targets.length,
      })
      .map((times) => ({
        targets: Uint32Array.from(targets).sort(),
        times: Uint16Array.from(times),
      })),
  );

describe.each([TENTHS, MINUTES])('a matrix row in $name', (unit) => {
  const rows = fc.array(modeRow(unit), { minLength: 1, maxLength: 3 });
  const encode = (ordinal: number, modes: ModeRow[], bases: readonly number[] = []) => {
    const out = new VarintWriter();
    encodeRow(out, stemSum('object'), ordinal, modes, unit, bases);
    return out.view().slice();
  };
  const decode = (ordinal: number, bytes: Uint8Array, modes: number) =>
    decodeRow('object', ordinal, bytes, modes, TARGETS, unit);

  test('is read back as written', () =>
    forAll(100, rows, fc.nat(), (modes, ordinal) => {
      expect(decode(ordinal, encode(ordinal, modes), modes.length)).toEqual(modes);
    }));

  test('of modes that differ little or much from a mode before them is read back as written, and takes little more than that mode if they do not differ', () =>
    forAll(100, modeRow(unit), modeRow(unit), fc.nat(), (base, other, ordinal) => {
      const drifted = {
        targets: base.targets.filter((target) => target % 3 > 0),
        times: base.times
          .filter((_, i) => base.targets[i] % 3 > 0)
          .map((time, i) => Math.min(time + (i % 5), unit.most)),
      };
      const modes = [base, other, drifted, base, other];
      const bases = [-1, -1, 0, 0, 2];
      const bytes = encode(ordinal, modes, bases);
      expect(decodeRow('object', ordinal, bytes, 5, TARGETS, unit, bases)).toEqual(modes);
      const once = encode(ordinal, [base]);
      expect(encode(ordinal, [base, base], [-1, 0]).length - once.length).toBeLessThan(8);
    }));

  test('raises a named error when truncated, read as another row, or with any bit flipped', () =>
    forAll(100, rows, fc.nat(), fc.nat(), (modes, ordinal, where) => {
      const bytes = encode(ordinal, modes);
      fc.pre(bytes.length > 0);
      const [flipped] = damagedAt(bytes, where);
      expect(() => decode(ordinal, flipped, modes.length)).toThrow(ShardError);
      const cut = bytes.subarray(0, 1 + (where % (bytes.length - 1)));
      expect(() => decode(ordinal, cut, modes.length)).toThrow(ShardError);
      expect(() => decode(ordinal + 1, bytes, modes.length)).toThrow(`row ${ordinal + 1}`);
    }));
});

describe('a nearest object', () => {
  const shaped = fc
    .record({ rows: fc.integer({ min: 1, max: 20 }), columns: fc.integer({ min: 1, max: 40 }) })
    .chain(({ rows, columns }) =>
      fc
        .array(fc.nat(300), { minLength: rows * columns, maxLength: rows * columns })
        .map((times) => ({ rows, columns, times: Uint16Array.from(times) })),
    );
  const rowBytes = (bytes: Uint8Array, row: number, columns: number) => {
    const { offset, length } = nearestRange(row, columns);
    return bytes.subarray(offset, offset + length);
  };

  test('returns every row by one range at a computed position', () =>
    forAll(100, shaped, ({ rows, columns, times }) => {
      const bytes = encodeNearest('object', times, columns);
      expect(readNearestShape('object', bytes)).toEqual({ rows, columns });
      for (let row = 0; row < rows; row++) {
        const encoded = rowBytes(bytes, row, columns);
        const decoded = decodeNearestRow('object', row, encoded, columns);
        const amid = new Uint8Array(encoded.length + 1);
        amid.set(encoded, 1);
        expect(decodeNearestRow('object', row, amid.subarray(1), columns)).toEqual(decoded);
        expect([...decoded]).toEqual([...times.subarray(row * columns, (row + 1) * columns)]);
      }
    }));

  test('never returns a row with a flipped bit, or one row in the place of another', () =>
    forAll(100, shaped, fc.nat(), ({ rows, columns, times }, where) => {
      const bytes = encodeNearest('object', times, columns);
      const row = where % rows;
      const [flipped] = damagedAt(rowBytes(bytes, row, columns), where);
      expect(() => decodeNearestRow('object', row, flipped, columns)).toThrow(ShardError);
      const right = rowBytes(bytes, row, columns);
      expect(() => decodeNearestRow('object', row + 1, right, columns)).toThrow(ShardError);
    }));
});

const record: fc.Arbitrary<BlockRecord> = fc.record({
  geoid: fc.integer({ min: 1, max: 999_999_999_999_999 }),
  population: fc.option(fc.nat()),
  landArea: fc.option(fc.nat(2 ** 40)),
  lon: fc.integer({ min: -180_000_000, max: 180_000_000 }),
  lat: fc.integer({ min: -90_000_000, max: 90_000_000 }),
  links: fc.array(
    fc.record({
      status: fc.constantFrom(...LINK_STATUSES),
      snap: fc.nat(16_000).map((decimetres) => decimetres / 10),
    }),
    { minLength: 2, maxLength: 2 },
  ),
});
const records = fc
  .uniqueArray(record, { selector: (r) => r.geoid, maxLength: 30 })
  .map((list) => list.sort((a, b) => a.geoid - b.geoid));

describe('a block index', () => {
  test('returns every block', () =>
    forAll(100, records, (blocks) => {
      const index = BlockIndex.decode('object', BlockIndex.encode(blocks));
      expect(index.count).toBe(blocks.length);
      for (const [i, block] of blocks.entries()) {
        expect(index.ordinalOf(String(block.geoid).padStart(15, '0'))).toBe(i);
        expect(index.population(i)).toBe(block.population);
        expect(index.landArea(i)).toBe(block.landArea);
        expect([index.lon[i], index.lat[i]]).toEqual([block.lon, block.lat]);
        expect([index.link(i, 'walk'), index.link(i, 'bike')]).toEqual(block.links);
      }
    }));

  test('raises a named error when truncated, of another kind, or with any bit flipped', async () => {
    await forAll(100, records, fc.nat(), (blocks, where) => {
      const bytes = BlockIndex.encode(blocks);
      const intact = BlockIndex.decode('object', bytes);
      expect(() =>
        BlockIndex.decode('object', bytes.subarray(0, where % (bytes.length - 8))),
      ).toThrow(ShardError);
      const [flipped] = damagedAt(bytes, where);
      // The padding between sections is unused: only a flip there may go undetected.
      try {
        expect(BlockIndex.decode('object', flipped)).toEqual(intact);
      } catch (error) {
        expect(error).toBeInstanceOf(ShardError);
      }
    });
    expect(() =>
      BlockIndex.decode('object', encodeNearest('object', new Uint16Array(4), 2)),
    ).toThrow('is a "NEAR", not a "INDX"');
  });
});

test('a POI table returns every record, in any script', async () => {
  const text = fc.string({ unit: 'grapheme' });
  const poi = fc.record({
    name: text,
    lon: fc.integer({ min: -180e6, max: 180e6 }).map((micro) => micro / 1e6),
    lat: fc.integer({ min: -90e6, max: 90e6 }).map((micro) => micro / 1e6),
    street: fc.option(text),
    city: fc.option(fc.constantFrom('Baltimore', 'Port Meridian')),
    state: fc.option(fc.constantFrom('MD')),
    zip: fc.option(text),
    brand: fc.option(text),
    types: fc
      .uniqueArray(fc.integer({ min: 1, max: 65_535 }))
      .map((types) => types.sort((a, b) => a - b)),
  });
  await forAll(100, fc.array(poi), (pois) => {
    const table = PoiTable.fromBytes('object', encodePoiTable(pois));
    expect(Array.from({ length: table.count }, (_, i) => table.facts(i))).toEqual(
      pois.map((p) => ({ ...p, lon: p.lon || 0, lat: p.lat || 0 })),
    );
  });
});

test('a table of many POIs is read in many steps', () => {
  const nowhere = { street: null, city: null, state: null, zip: null, brand: null, types: [1] };
  const pois = Array.from({ length: 70_000 }, (_, i) => ({
    name: `${i}`,
    lon: 0,
    lat: 0,
    ...nowhere,
  }));
  const steps = PoiTable.steps('object', encodePoiTable(pois));
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(30);
});

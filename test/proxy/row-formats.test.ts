import fc from 'fast-check';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect, test } from 'vitest';
import { rendered } from '../../proxy/finish-response.ts';
import { allColumns, Columns, KeptPart } from '../../proxy/formats/columns.ts';
import { ROW_FORMATS } from '../../proxy/formats/row-format.ts';
import { metadataHeaders } from '../../proxy/formats/row-metadata.ts';
import type { TextRows } from '../../proxy/formats/rows.ts';
import { DEST_ID, POI_FACTS, POI_POINT } from '../../proxy/queries/pois/poi-columns.ts';
import { BLOCK_ORIGIN, TIME, timeKey } from '../../proxy/queries/rows/row-columns.ts';
import { Turns } from '../../shards/concurrency/turns.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { forAll } from '../support/for-all.ts';
import { ROWS_AS_OBJECTS } from '../support/rows-as-objects.ts';

const COLUMNS = allColumns([BLOCK_ORIGIN, DEST_ID, TIME, POI_FACTS]);
/** Their names, with a dot before nested members. */
const columns = COLUMNS.map(({ path }) => path.join('.'));

/** Any string: controls, quotes, formulas, astral characters, lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 12 }),
  fc.constantFrom(
    '',
    ' a',
    'a ',
    '"',
    '\\',
    ',',
    '\r\n',
    '=1',
    '-x',
    '+1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    "'quoted'",
    '=HYPERLINK("http://x","a,b")\n=2',
    'a=b',
    ' =1',
    '02123',
    '\ud800',
    '\udfff\ud800',
    '日本',
    '😀',
  ),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 })
    .map((units) => String.fromCharCode(...units)),
);
const orNull = fc.option(text, { nil: null });
const degrees = (most: number) =>
  fc.integer({ min: -most * 1e6, max: most * 1e6 }).map((micro) => micro / 1e6);
const rowOfAnything = fc.record({
  geoid: text,
  dest_id: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  mode: fc.constantFrom(...MODE_LABELS),
  tenths: fc.integer({ min: 10, max: 300 }),
  name: text,
  lon: degrees(180),
  lat: degrees(90),
  address: fc.record({ street: orNull, city: orNull, state: orNull, zip: orNull }),
});

/** Compares bytes, which differ where strings do not: for invalid text, such as lone surrogates. */
function expectBytes(bytes: Buffer, expected: string): void {
  expect(bytes.toString('hex')).toBe(Buffer.from(expected).toString('hex'));
}

test('rows of text equal serialized objects in each format, byte for byte', () =>
  forAll(200, fc.array(rowOfAnything, { maxLength: 6 }), async (drawn) => {
    const objects = drawn.map(({ tenths, geoid, dest_id, mode, ...facts }) => {
      return { geoid, dest_id, mode, travel_time: tenths / 10, ...facts };
    });
    const written = (name: keyof typeof ROW_FORMATS) => {
      const rows = ROW_FORMATS[name].rows(COLUMNS);
      const factsOf = (i: number) => ({ ...drawn[i], ...drawn[i].address, brand: null, types: [] });
      const add = rows.of(
        new KeptPart(POI_POINT, drawn.length, factsOf),
        BLOCK_ORIGIN,
        new KeptPart(DEST_ID, drawn.length, (i) => drawn[i]),
        TIME,
        POI_FACTS,
      );
      for (const [i, { geoid, mode, tenths }] of drawn.entries()) {
        add(i, { geoid }, i, timeKey(mode) + tenths, factsOf(i));
      }
      expect(rows.count).toBe(drawn.length);
      return rows;
    };
    const body = (results: unknown) => {
      return { before: 'é', results, next_cursor: null, left_out: undefined, after: [{}] };
    };
    const whole = async (results: unknown) => (await rendered(body(results), Turns.SHARED)).whole();
    expectBytes(await whole(written('json')), JSON.stringify(body(objects)));
    for (const name of ['csv', 'ndjson', 'geojson'] as const) {
      expectBytes(await whole(written(name)), ROWS_AS_OBJECTS[name](objects, columns));
    }
  }));

const TEXT = new Columns<string>({ text: { type: 'string', of: (text) => text } });

test('rows that fill their pieces to the byte lose nothing', async () => {
  for (const length of [15_871, 15_872, 15_873, 16_383, 16_384, 16_385]) {
    const rows = ROW_FORMATS.json.rows(TEXT.columns);
    const text = 'x'.repeat(length - '{"text":""},'.length);
    const add = rows.of(TEXT);
    for (let i = 0; i < 3; i++) add(text);
    const expected = JSON.stringify({ results: [{ text }, { text }, { text }], more: 1 });
    const body = await rendered({ results: rows, more: 1 }, Turns.SHARED);
    expect(body.whole().toString()).toBe(expected);
  }
});

test('the text before rows of several pieces is written with the first piece, unless it is long', () => {
  const row = `{"text":"${'x'.repeat(88)}"}\n`;
  for (const [length, pieces] of [
    [0, 2],
    [60, 2],
    [512, 2],
    [513, 3],
    [20_000, 3],
  ]) {
    const rows = ROW_FORMATS.ndjson.rows(TEXT.columns) as TextRows;
    const add = rows.of(TEXT);
    for (let i = 0; i < 180; i++) add('x'.repeat(88));
    const before = 'b'.repeat(length);
    const body = rows.between(before, 'end');
    expect(body.whole().toString()).toBe(`${before}${row.repeat(180)}end`);
    expect(body.pieces).toHaveLength(pieces);
    expect(body.length - body.paidLength).toBe(3);
    expect(Math.max(...body.pieces.slice(-2).map((piece) => piece.length))).toBeLessThan(16_385);
  }
});

test('a constant part without rows is written once', async () => {
  let times = 0;
  const features = [{ toJSON: () => ++times }];
  const textOf = async (body: object) => (await rendered(body, Turns.SHARED)).whole().toString();
  expect(await textOf({ type: 'x', left_out: undefined, features })).toBe(
    '{"type":"x","features":[1]}',
  );
  expect(times).toBe(1);
  expect(await textOf({})).toBe('{}');
});

/** Text that can be encoded: a file has no lone surrogates. */
const sound = text.filter((any) => !/\p{Surrogate}/u.test(any));
const cell = fc.record({
  name: fc.option(sound, { nil: null }),
  count: fc.option(fc.oneof(fc.integer(), fc.float({ noNaN: true, min: 1 })), { nil: null }),
  inner: fc.option(fc.record({ id: fc.nat(), list: fc.array(fc.nat(), { maxLength: 3 }) }), {
    nil: undefined,
  }),
});

test('a Parquet file has the values of the columns, with the types that they state', () =>
  forAll(10, fc.array(cell, { minLength: 1, maxLength: 8 }), async (drawn) => {
    const part = new Columns<(typeof drawn)[number]>({
      name: { type: 'string', of: ({ name }) => name },
      count: { type: 'double', of: ({ count }) => count },
      inner: { type: { id: 'int32', list: 'string' }, of: ({ inner }) => inner },
    });
    const rows = ROW_FORMATS.parquet.rows(part.columns);
    const add = rows.of(part);
    // More rows than a row group holds.
    const repeated = Array.from({ length: 4_200 }, (_, i) => drawn[i % drawn.length]);
    for (const one of repeated) add(one);
    const bytes = (await rendered({ rows, more: 1 }, Turns.SHARED)).whole();
    const file = Uint8Array.from(bytes).buffer;
    const read = await parquetReadObjects({ file, compressors });
    const expected = repeated.map(({ name, count, inner }) => ({
      name,
      count,
      inner_id: inner?.id ?? null,
      inner_list: inner ? String(inner.list) : null,
    }));
    expect(JSON.stringify(read)).toBe(JSON.stringify(expected));
    const { schema } = await parquetMetadataAsync(file);
    expect(schema.slice(1).map(({ type }) => type)).toEqual([
      'BYTE_ARRAY',
      'DOUBLE',
      'INT32',
      'BYTE_ARRAY',
    ]);
  }));

test.each(Object.entries(ROW_FORMATS))(
  '%s: rows of other columns than stated are refused',
  (_, format) => {
    const [a, b] = ['a', 'b'].map((name) => new Columns<number>({ [name]: { type: 'int32' } }));
    const rows = () => format.rows(allColumns([a, b]));
    expect(() => rows().of(b, a)).toThrow('column b is not number 1');
    expect(() => rows().of(a)).toThrow('no part has the column b');
    expect(() => rows().of(a, b, b)).toThrow('column b is not number 3');
    expect(() => rows().of(a, b)).not.toThrow();
  },
);

test.each(['csv', 'ndjson'] as const)('headers of %s state the window of the rows', (format) => {
  const facts = { departure: 'saturday', percentile: 50 };
  const stated = { 'x-departure': 'saturday', 'x-percentile': '50' };
  expect(metadataHeaders(facts, format)).toEqual(stated);
});

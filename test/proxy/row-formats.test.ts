import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderJson, renderRows } from '../../proxy/formats/render.ts';
import { ROW_FORMATS } from '../../proxy/formats/row-format.ts';
import { POI_TIMES, withOrigin } from '../../proxy/formats/row-table.ts';
import { Rows } from '../../proxy/formats/rows.ts';
import { timeTexts } from '../../proxy/queries/rows/fragments.ts';
import { pointAt } from '../../shards/geometry/geo-json.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { forAll } from '../support/for-all.ts';
import { ROWS_AS_OBJECTS } from '../support/rows-as-objects.ts';

/** The columns of rows without the names of types. */
const columns = withOrigin(POI_TIMES, ['geoid']).columns.filter((name) => name !== 'dest_types');

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
  forAll(200, fc.array(rowOfAnything, { maxLength: 6 }), (drawn) => {
    const objects = drawn.map(({ tenths, geoid, dest_id, mode, ...facts }) => {
      return { geoid, dest_id, mode, travel_time: tenths / 10, ...facts };
    });
    const written = (name: keyof typeof ROW_FORMATS) => {
      const format = ROW_FORMATS[name];
      const rows = new Rows(format);
      for (const { geoid, dest_id, mode, tenths, ...facts } of drawn) {
        const members = [
          format.members({ geoid }, ['geoid']),
          format.members({ dest_id }, ['dest_id']),
          timeTexts(format)[mode][tenths],
          format.members(facts, columns.slice(4)),
        ];
        rows.add(format.begin(pointAt(facts.lon, facts.lat)) + members.join() + format.end);
      }
      expect(rows.count).toBe(drawn.length);
      return rows;
    };
    const body = (results: unknown) => {
      return { before: 'é', results, next_cursor: null, left_out: undefined, after: [{}] };
    };
    expectBytes(renderJson(body(written('json'))).whole(), JSON.stringify(body(objects)));
    for (const name of ['csv', 'ndjson', 'geojson'] as const) {
      const bytes = renderRows(ROW_FORMATS[name], columns, body(written(name)));
      expectBytes(bytes.whole(), ROWS_AS_OBJECTS[name](objects, columns));
    }
  }));

test('rows that fill their pieces to the byte lose nothing', () => {
  for (const length of [15_871, 15_872, 15_873, 16_383, 16_384, 16_385]) {
    const rows = new Rows(ROW_FORMATS.json);
    const row = { text: 'x'.repeat(length - '{"text":""},'.length) };
    const members = ROW_FORMATS.json.members(row, ['text']);
    for (let i = 0; i < 3; i++) rows.add(`{${members}},`);
    const expected = JSON.stringify({ results: [row, row, row], more: 1 });
    expect(renderJson({ results: rows, more: 1 }).whole().toString()).toBe(expected);
  }
});

test('the text before rows of several pieces is written with the first piece, unless it is long', () => {
  const row = `${'x'.repeat(99)}\n`;
  for (const [length, pieces] of [
    [0, 2],
    [60, 2],
    [512, 2],
    [513, 3],
    [20_000, 3],
  ]) {
    const rows = new Rows(ROW_FORMATS.ndjson);
    for (let i = 0; i < 180; i++) rows.add(row);
    const before = 'b'.repeat(length);
    const body = rows.between(before, 'end');
    expect(body.whole().toString()).toBe(`${before}${row.repeat(180)}end`);
    expect(body.pieces).toHaveLength(pieces);
    expect(body.length - body.paidLength).toBe(3);
    expect(Math.max(...body.pieces.slice(-2).map((piece) => piece.length))).toBeLessThan(16_385);
  }
});

test('a constant part without rows is written once', () => {
  let times = 0;
  const features = [{ toJSON: () => ++times }];
  expect(renderJson({ type: 'x', left_out: undefined, features }).whole().toString()).toBe(
    '{"type":"x","features":[1]}',
  );
  expect(times).toBe(1);
  expect(renderJson({}).whole().toString()).toBe('{}');
});

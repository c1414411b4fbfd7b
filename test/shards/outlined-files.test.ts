import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import { expect, test } from 'vitest';
import { FlatGeobufFile } from '../../shards/parquet/flat-geobuf-file.ts';
import { GeoJsonFile } from '../../shards/parquet/geojson-file.ts';
import type { Column, RowGroup, TableFile } from '../../shards/parquet/table.ts';

const column = (name: string, type: Column['type']): Column => ({
  name,
  type,
  nullable: true,
  description: `The ${name}.`,
});
const COLUMNS = [
  column('geoid', 'string'),
  column('people', 'int32'),
  column('square_metres', 'double'),
  column('is_linked', 'boolean'),
  column('geometry', 'polygons'),
  column('bbox', 'box'),
];
const FACTS = { table: 'blocks', description: 'Some blocks.', licence: 'ODbL-1.0' };
const square = (west: number) => [
  [
    [west, 0],
    [west + 1, 0],
    [west + 1, 1],
    [west, 0],
  ],
];
const PLAIN: RowGroup = {
  rows: 2,
  values: [
    ['001', '002'],
    [7, null],
    [1.5, 2],
    [true, false],
    [[square(0)], [square(2), square(4)]],
    [null, null],
  ],
};
const NOTHING: RowGroup = { rows: 0, values: COLUMNS.map(() => []) };
const MISSING: RowGroup = {
  rows: 1,
  values: [['Ö "3"'], [-1], [null], [null], [null], [null]],
};

function written(
  open: (out: { append(piece: Uint8Array): void }) => TableFile,
  groups: RowGroup[],
) {
  const pieces: Uint8Array[] = [];
  const file = open({ append: (piece) => void pieces.push(piece) });
  for (const group of groups) file.append(group);
  file.finish();
  return Buffer.concat(pieces);
}

const geoJson = (...groups: RowGroup[]) =>
  JSON.parse(written((out) => new GeoJsonFile(COLUMNS, FACTS, out), groups).toString());
const flatGeobuf = (...groups: RowGroup[]) =>
  written((out) => new FlatGeobufFile(COLUMNS, FACTS, out), groups);

test('GeoJSON has one feature per row, null for missing values, and the facts of the file', () => {
  const properties = (
    geoid: string,
    people: unknown,
    square_metres: unknown,
    is_linked: unknown,
  ) => ({
    geoid,
    people,
    square_metres,
    is_linked,
  });
  expect(geoJson(PLAIN, NOTHING, MISSING)).toEqual({
    type: 'FeatureCollection',
    name: 'blocks',
    description: 'Some blocks.',
    licence: 'ODbL-1.0',
    features: [
      {
        type: 'Feature',
        properties: properties('001', 7, 1.5, true),
        geometry: { type: 'Polygon', coordinates: square(0) },
      },
      {
        type: 'Feature',
        properties: properties('002', null, 2, false),
        geometry: { type: 'MultiPolygon', coordinates: [square(2), square(4)] },
      },
      { type: 'Feature', properties: properties('Ö "3"', -1, null, null), geometry: null },
    ],
  });
  expect(geoJson().features).toEqual([]);
});

test('the reference library reads the rows of FlatGeobuf in order, always as MultiPolygons', async () => {
  const read: unknown[] = [];
  const bytes = new Uint8Array(flatGeobuf(PLAIN, NOTHING, MISSING));
  for await (const { properties, geometry } of deserialize(bytes))
    read.push({ properties, geometry });
  const multi = (...coordinates: unknown[]) => ({ type: 'MultiPolygon', coordinates });
  expect(read).toEqual([
    {
      properties: { geoid: '001', people: 7, square_metres: 1.5, is_linked: true },
      geometry: multi(square(0)),
    },
    {
      properties: { geoid: '002', square_metres: 2, is_linked: false },
      geometry: multi(square(2), square(4)),
    },
    { properties: { geoid: 'Ö "3"', people: -1 }, geometry: multi() },
  ]);
});

test('a table of several megabytes is written in pieces', () => {
  const rows = 8_000;
  const column = (value: unknown) => Array.from({ length: rows }, () => value);
  const values = ['001', 7, 1.5, true, [square(0)], null].map(column);
  const files = [GeoJsonFile, FlatGeobufFile].map((File) => {
    const pieces: number[] = [];
    const file = new File(COLUMNS, FACTS, { append: ({ length }) => void pieces.push(length) });
    file.append({ rows, values });
    file.finish();
    return pieces;
  });
  for (const pieces of files) {
    expect(pieces.length).toBeGreaterThan(1);
    expect(Math.max(...pieces)).toBeLessThan(2 ** 20 + 2_000);
  }
});

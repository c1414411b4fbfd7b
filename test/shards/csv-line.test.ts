import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { csvOf } from '../../portal/pages/map/blocks/block-files.ts';
import { sitesCsv } from '../../portal/pages/map/views/sites/sites-files.ts';
import { rendered } from '../../proxy/finish-response.ts';
import { Columns } from '../../proxy/formats/columns.ts';
import { ROW_FORMATS } from '../../proxy/formats/row-format.ts';
import { Turns } from '../../shards/concurrency/turns.ts';
import { csvCell, csvField, csvLine } from '../../shards/csv/csv-line.ts';
import { CsvFile } from '../../shards/parquet/csv-file.ts';
import type { RowGroup } from '../../shards/parquet/table.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { forAll } from '../support/for-all.ts';
import { FORMULA } from '../support/rows-as-objects.ts';

const text = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom(...'=+-@＝＋－＠\t\r\n\0", \u200b\ufeffa1'.split('')),
    maxLength: 6,
  }),
);
const value = fc.oneof(text, fc.double({ noNaN: true }), fc.boolean(), fc.constantFrom(null));

/** A record as Papa Parse writes it with its escape of formulas. */
const papaLine = (values: readonly unknown[]) =>
  `${Papa.unparse([[...values]], { newline: '\r\n', escapeFormulae: FORMULA })}\r\n`;

test('records equal those of Papa Parse, with formulas made harmless', () =>
  forAll(2_000, fc.array(value, { minLength: 1, maxLength: 5 }), async (values) => {
    expect(csvLine(values)).toBe(papaLine(values));
  }));

test('text without the apostrophe is read as it was', () =>
  forAll(2_000, fc.array(text, { minLength: 2, maxLength: 4 }), async (texts) => {
    const { data } = Papa.parse(texts.map(csvField).join(), { delimiter: ',', newline: '\r\n' });
    expect(data).toEqual([texts]);
  }));

test('a negative number is not text, so it has no apostrophe', () => {
  expect([-76.6, '-76.6', undefined, null].map(csvCell)).toEqual(['-76.6', `"'-76.6"`, '', '']);
});

const LINK = '=HYPERLINK("http://x","Cafe")';
const HARMLESS = `"'=HYPERLINK(""http://x"",""Cafe"")"`;

/** A table as CSV. */
function exported(...groups: RowGroup[]): string {
  const pieces: Uint8Array[] = [];
  const columns = (['id', 'name'] as const).map((name) => {
    const type = name === 'id' ? ('int32' as const) : ('string' as const);
    return { name, type, nullable: true, description: '' };
  });
  const file = new CsvFile(columns, { append: (piece) => void pieces.push(piece) });
  for (const group of groups) file.append(group);
  file.finish();
  return Buffer.concat(pieces).toString();
}

test('an exported table has no formulas, whether its values are plain or indexed', () => {
  const names = [LINK, '-1', null];
  const plain = { rows: 3, values: [[-5, 6, 7], names] };
  const indexed = {
    rows: 3,
    indexed: [
      { dictionary: [-5, 6, 7], indexes: Uint32Array.of(0, 1, 2) },
      { dictionary: [LINK, '-1'], indexes: Uint32Array.of(0, 1, 0xffff_ffff) },
    ],
  };
  for (const group of [plain, indexed]) {
    expect(exported(group)).toBe(`id,name\r\n-5,${HARMLESS}\r\n6,"'-1"\r\n7,\r\n`);
  }
});

test('the API, and the files of the map, write the same', async () => {
  const part = new Columns<string>({
    name: { type: 'string', of: (name) => name },
    lon: { type: 'double', of: () => -1 },
  });
  const rows = ROW_FORMATS.csv.rows(part.columns);
  rows.of(part)(LINK);
  const body = await rendered({ rows }, Turns.SHARED);
  expect(body.whole().toString()).toBe(`name,lon\r\n${HARMLESS},-1\r\n`);
  const list = {
    blocks: {
      geoids: Float64Array.of(1),
      population: [null],
      lon: Float64Array.of(-86.5),
      lat: Float64Array.of(32.5),
    },
    listed: [0],
    columns: [],
    members: { name: () => LINK },
    where: '',
    name: '',
  };
  expect(csvOf(list, '+r')).toBe(
    `geoid,population,name,lon,lat,release\r\n000000000000001,,${HARMLESS},-86.5,32.5,"'+r"\r\n`,
  );
  const none = { 5: 0, 10: 0, 15: 0, 20: 0, 25: 0, 30: 0 };
  const coverage = {
    results: [],
    sites: [{ id: LINK, block: '1', within: none, overlap: none }],
    gains: [],
    chosen: [],
    uncovered: [],
    errors: [],
  } as unknown as Parameters<typeof sitesCsv>[0];
  const [, line] = sitesCsv(coverage, {
    sites: [{ id: LINK, lat: 39, lon: -76, isCandidate: false }],
    sitesType: null,
    sitesBy: { direction: 'to', weight: 'people', choose: 1, within: 15 },
  }).split('\r\n');
  expect(line).toMatch(/^sites,/);
  expect(line.startsWith(`sites,${HARMLESS},-76,39,1,`)).toBe(true);
});

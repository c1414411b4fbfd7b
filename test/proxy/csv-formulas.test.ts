import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { render } from '../../proxy/formats/render.ts';
import { POIS } from '../../proxy/formats/row-table.ts';

const poi = (name: string | null, lon: number, lat: number) => ({
  dest_id: 7,
  name,
  lon,
  lat,
  address: { street: name, city: null, state: null, zip: '02123' },
});
const csvOf = async (rows: object[]) =>
  Papa.parse<string[]>((await render('csv', POIS, { results: rows })).toString(), {
    skipEmptyLines: true,
  }).data.slice(1);

test('a text that a spreadsheet would run begins with an apostrophe in CSV', async () => {
  const texts = [
    '=1+1',
    '+1',
    '-cmd',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '=HYPERLINK("http://x","a,b")\n=2',
  ];
  for (const text of texts) {
    const [[, name, , , street]] = await csvOf([poi(text, 1, 2)]);
    expect([name, street]).toEqual([`'${text}`, `'${text}`]);
  }
});

test('numbers stay numbers, and other texts stay as they are', async () => {
  const texts = ['Harbor Market', "'quoted'", 'a=b', '1-2', '', ' =1'];
  for (const text of texts) {
    const [[, name, lon, lat, , , , zip]] = await csvOf([poi(text, -70.0123, -0.5)]);
    expect([name, lon, lat, zip]).toEqual([text, '-70.0123', '-0.5', '02123']);
  }
});

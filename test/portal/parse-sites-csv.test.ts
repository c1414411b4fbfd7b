import { expect, test } from 'vitest';
import { parseSitesCsv } from '../../proxy/fields/parse-sites-csv.ts';

const MOST = 1_000;
const parse = (text: string) => parseSitesCsv(text, MOST);
const rows = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join('');

function faultsOf(text: string): string[] {
  const parsed = parse(text);
  expect(parsed, text).toHaveProperty('faults');
  return 'faults' in parsed
    ? parsed.faults.map(({ line = 'all', msg, type }) => `${line}: ${type}: ${msg}`)
    : [];
}

test('a site has the line that it begins on, and whether it is a candidate if that is stated', () => {
  const text = 'name,id,lat,lon,Candidate\n\n"A\nB",1,36.1,-70,yes\n,2,+36.,-.7e2,No\n,3,0,0,\n';
  const address = '';
  expect(parse(text)).toEqual({
    sites: [
      { line: 3, id: '1', lat: 36.1, lon: -70, address, capacity: '', isCandidate: true },
      { line: 5, id: '2', lat: 36, lon: -70, address, capacity: '', isCandidate: false },
      { line: 6, id: '3', lat: 0, lon: 0, address, capacity: '', isCandidate: null },
    ],
  });
});

test.each(['\n', '\n\n', '\r\n\r\n\r\n', '\n,,\n \n'])(
  'the maximum number of sites is read, and one more is refused, with %j between them',
  (between) => {
    const text = (count: number) =>
      `id,lat,lon${between}${rows(count, (i) => `${i},1,2${between}`)}`;
    expect(parse(text(MOST))).toHaveProperty('sites.length', MOST);
    expect(faultsOf(text(MOST + 1))).toEqual(['all: too_big: must list at most 1000']);
  },
);

test.each([
  ['a,"B,36,-70\nb,36,-70\n', '2: malformed: has a quote that is not closed'],
  ['a,"B"x,36,-70\n', '2: malformed: has text after a closing quote'],
  ['a,0x24,1\n', '2: invalid_type: lat must be a number from -90 to 90, not 0x24'],
  ['a,1,Infinity\n', '2: invalid_type: lon must be a number from -180 to 180, not Infinity'],
  ['a,1,1.2.3\n', '2: invalid_type: lon must be a number from -180 to 180, not 1.2.3'],
  [
    'a,-90.1,1\n',
    '2: out_of_range: lat must be a number from -90 to 90, not -90.1: are lat and lon exchanged?',
  ],
  ['\n\na,1\n', '4: missing: lon is missing'],
  ['a,1,2\n\na,1,2\n', '4: duplicate: id a is also that of line 2'],
  [`${'x'.repeat(101)},1,2\n`, '2: too_big: id must have at most 100 characters'],
])('%j after a header is refused with its line', (text, fault) => {
  expect(faultsOf(`id,lat,lon\n${text}`)).toEqual([fault]);
});

test('the header is refused if it lacks a column, or has one twice under any of its names', () => {
  expect(faultsOf('id;lon\na;1\n')).toEqual(['all: missing: lacks the column lat; it has id, lon']);
  for (const header of ['id,ID,lat,lon', 'id,lat,Latitude,lon', 'id,lat,lon,candidate,candidate']) {
    expect(faultsOf(`${header}\na,1,2,3\n`)[0]).toMatch('duplicate: has more than one column ');
  }
  expect(parse('id,name,name,lat,lon\na,x,y,1,2\n')).toHaveProperty('sites.length', 1);
});

test('a capacity with a separator of thousands is refused, since it may be a thousandth', () => {
  const capacityOf = (text: string) => {
    const csv = `id;lat;lon;capacity\na;1;2;${text}\n`;
    const parsed = parseSitesCsv(csv, MOST, { capacity: { min: 0, max: 1e9 } });
    return 'faults' in parsed ? parsed.faults[0].msg : parsed.sites[0].capacity;
  };
  expect(['1200', '2,5', '0,125', '1.125', '1,25'].map(capacityOf)).toEqual([
    1200, 2.5, 0.125, 1.125, 1.25,
  ]);
  for (const text of ['1,200', '12,000', '+120,000']) {
    expect(capacityOf(text)).toBe(
      `capacity must be a number without separators of thousands, not ${text}`,
    );
  }
  expect(capacityOf('1,200,000')).toMatch('capacity must be a number from 0 to');
});

test('only the first hundred faults are listed', () => {
  const faults = faultsOf(`id,lat,lon\n${rows(500, (i) => `${i},1,x\n`)}`);
  expect([faults.length, faults[99].split(':')[0]]).toEqual([100, '101']);
});

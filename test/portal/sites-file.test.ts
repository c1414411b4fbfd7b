import { expect, test } from 'vitest';
import {
  type FindAddress,
  readSites,
  sitesFile,
} from '../../portal/pages/map/views/sites/sites-files.ts';

/** Finds one address, which ends in `1`. */
const find: FindAddress = async (address) =>
  address.endsWith('1') ? { lat: 36.1, lon: -70.2 } : null;
const read = (text: string) => readSites(new Blob([text]), find);

test('lines without coordinates are found by their address, and an uncertain one is named', async () => {
  const found = { lat: 36.1, lon: -70.2, isCandidate: false };
  expect(await read('id,address\na,Plum Avenue 1\n')).toEqual({ sites: [{ id: 'a', ...found }] });
  expect(await read('id,lat,lon,address\na,,,Plum Avenue 1\nb,36,-70,nowhere\n')).toEqual({
    sites: [
      { id: 'a', ...found },
      { id: 'b', lat: 36, lon: -70, isCandidate: false },
    ],
  });
  expect(await read('id,address\na,Plum Avenue 1\nb,Plum Avenue 2\n')).toEqual({
    fault: 'Line 3 of the file: “Plum Avenue 2” is not certain. Give lat and lon.',
  });
  expect(await read('id,lat,lon,address\na,99,-70,\n')).toMatchObject({
    fault: expect.stringMatching(/^Line 2 of the file: lat must be/),
  });
});

test('a file of sites is read by its column names, in any order, with quotes and a byte order mark', async () => {
  expect(
    await read(
      '\uFEFFLON,name,Lat,id,Candidate\r\n-70.2,"A, B",36.1,007,no\r\n\r\n0,,-90,x,YES\r\n',
    ),
  ).toEqual({
    sites: [
      { id: '007', lat: 36.1, lon: -70.2, isCandidate: false },
      { id: 'x', lat: -90, lon: 0, isCandidate: true },
    ],
  });
});

const BALTIMORE = { id: 'Café', lat: 39.29, lon: -76.61, isCandidate: false };

test.each([
  ['semicolons and decimal commas', 'id;lat;lon\r\nCafé;39,29;-76,61\r\n'],
  ['a line that states the separator', 'sep=;\r\nid;lat;lon\r\nCafé;39,29;-76,61\r\n'],
  ['tabs', 'id\tlat\tlon\nCafé\t39.29\t-76.61\n'],
  ['decimal commas in quotes', 'id,lat,lon\nCafé,"39,29","-76,61"\n'],
  ['other names of columns', 'ID,Latitude (WGS84),Longitude [deg]\nCafé,39.29,-76.61\n'],
  ['lng', 'id,lat,lng\nCafé,39.29,-76.61\n'],
  ['empty lines', '\n\nid,lat,lon\n\n,,\nCafé,39.29,-76.61\n  \n\n'],
  ['lines that end in CR', 'id,lat,lon\rCafé,39.29,-76.61\r'],
])('a file with %s is read, in UTF-8 and UTF-16', async (_, text) => {
  const littleEndian = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const bigEndian = Buffer.from(littleEndian).swap16();
  for (const file of [text, `\uFEFF${text}`, littleEndian, bigEndian]) {
    expect(await readSites(new Blob([file]), find)).toEqual({ sites: [BALTIMORE] });
  }
});

test('a file that is saved has the same sites when it is opened', async () => {
  const sites = [
    { id: 'Main, "2"', lat: 36.123456, lon: -70.2, isCandidate: true },
    { id: '007', lat: 0, lon: 180, isCandidate: false },
    { id: '=1+1', lat: -1, lon: -180, isCandidate: false },
  ];
  expect(await readSites(sitesFile(sites), find)).toEqual({ sites });
});

test.each([
  ['lat,lon\n1,2\n', 'The file lacks the column id; it has lat, lon.'],
  ['', 'The file lacks the columns id, lat, lon.'],
  ['id,lat,lon\n', 'has no sites'],
  ['id,lat,lon\na,1,2\na,1,3\n', 'Line 3 of the file: id a is also that of line 2.'],
  ['id,lat,lon\n\n,1,2\n', 'Line 3 of the file: id is missing.'],
  ['id,lat,lon\na,,2\n', 'Line 2 of the file: lat is missing.'],
  ['id,lat,lon\na,181,2\n', 'lat must be a number from -90 to 90, not 181.'],
  [
    'id,lat,lon\na,-122.4,37.8\n',
    'lat must be a number from -90 to 90, not -122.4: are lat and lon exchanged?',
  ],
  ['id,lat,lon\na,39,29,-76,61\n', 'Line 2 of the file: has more values than there are columns'],
  ['Name;Breite;lon\na;1;2\n', 'The file lacks the columns id, lat; it has name, breite, lon.'],
  ['PK\u0003\u0004\0\0', 'is not text: save it as CSV'],
  ['id,lat,lon\na,1,east\n', 'lon must be a number from -180 to 180, not east.'],
  [
    `id,lat,lon\n${Array.from({ length: 1001 }, (_, i) => `${i},1,2\n`).join('')}`,
    'more than 1000',
  ],
  [`id,lat,lon\n${' '.repeat(1_000_001)}`, 'over 1 MB'],
])('%j is refused with the fault', async (text, fault) => {
  expect(await read(text)).toEqual({ fault: expect.stringContaining(fault) });
});

test('a file in Windows-1252, whose ids would be other ones in UTF-8, is refused with what to do', async () => {
  const bytes = Buffer.from('id,lat,lon\nCaf\u00e9,36.1,-70.2\n', 'latin1');
  expect(await readSites(new Blob([bytes]), find)).toEqual({
    fault: 'The file is neither UTF-8 nor UTF-16: save it as “CSV UTF-8”.',
  });
});

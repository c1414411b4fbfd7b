import { expect, test } from 'vitest';
import { readSites, sitesFile } from '../../portal/pages/map/sites/sites-file.ts';

const read = (text: string) => readSites(new Blob([text]));

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

test('a file that is saved has the same sites when it is opened', async () => {
  const sites = [
    { id: 'Main, "2"', lat: 36.123456, lon: -70.2, isCandidate: true },
    { id: '007', lat: 0, lon: 180, isCandidate: false },
  ];
  expect(await readSites(await sitesFile(sites))).toEqual({ sites });
});

test.each([
  ['lat,lon\n1,2\n', 'lacks the columns: id'],
  ['', 'lacks the columns: id, lat, lon'],
  ['id,lat,lon\n', 'has no sites'],
  ['id,lat,lon\na,1,2\na,1,3\n', 'Site 2 of the file: id a is also that of site 1'],
  ['id,lat,lon\n,1,2\n', 'Site 1 of the file: id is empty'],
  ['id,lat,lon\na,,2\n', 'lat must be a number from -90 to 90'],
  ['id,lat,lon\na,91,2\n', 'lat must be a number from -90 to 90'],
  ['id,lat,lon\na,1,east\n', 'lon must be a number from -180 to 180'],
  [
    `id,lat,lon\n${Array.from({ length: 1001 }, (_, i) => `${i},1,2\n`).join('')}`,
    'more than 1000',
  ],
  [`id,lat,lon\n${' '.repeat(1_000_001)}`, 'over 1 MB'],
])('%j is refused with its place', async (text, fault) => {
  expect(await read(text)).toEqual({ fault: expect.stringContaining(fault) });
});

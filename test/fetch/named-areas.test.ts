import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { County } from '../../builder/census/county-layer.ts';
import {
  type AreaRequest,
  countiesIn,
  requireKnownStates,
} from '../../builder/fetch/named-areas.ts';
import { readPlaceList } from '../../builder/fetch/place-list.ts';
import { scratchFolders } from './scratch-folders.ts';

const folder = scratchFolders();

const HEADER = 'STATE|STATEFP|COUNTYFP|COUNTYNAME|PLACEFP|PLACENS|PLACENAME|TYPE|CLASSFP|FUNCSTAT';
const ROWS = [
  'MD|24|510|Baltimore city|04000|1|Baltimore city|INCORPORATED PLACE|C7|F',
  'MD|24|003|Anne Arundel County|04050|2|Baltimore Highlands CDP|CENSUS DESIGNATED PLACE|U1|S',
  'MD|24|031|Montgomery County|16775|3|Chevy Chase town|INCORPORATED PLACE|C1|A',
  'MD|24|031|Montgomery County|16787|4|Chevy Chase CDP|CENSUS DESIGNATED PLACE|U1|S',
  'MO|29|037|Cass County|38000|5|Kansas City city|INCORPORATED PLACE|C1|A',
  'MO|29|095|Jackson County|38000|5|Kansas City city|INCORPORATED PLACE|C1|A',
  'KS|20|209|Wyandotte County|36000|6|Kansas City city|INCORPORATED PLACE|C1|A',
  'TN|47|037|Davidson County|52006|7|Nashville-Davidson metropolitan government (balance)|INCORPORATED PLACE|C8|F',
  'CO|08|043|Fremont County|11810|8|Cañon City city|INCORPORATED PLACE|C1|A',
  'MO|29|510|St. Louis city|65000|9|St. Louis city|INCORPORATED PLACE|C7|A',
  'MI|26|133|Osceola County|99999|10|LeRoy village|INCORPORATED PLACE|C1|A',
  'FL|12|063|Jackson County|45400|12|Midway CDP|CENSUS DESIGNATED PLACE|U1|S',
  'FL|12|113|Santa Rosa County|45525|13|Midway CDP|CENSUS DESIGNATED PLACE|U1|S',
  'GU|66|010|Guam|04000|11|Agat CDP|CENSUS DESIGNATED PLACE|U1|S',
];

const COUNTIES = new Map(
  (
    [
      ['24003', 'Anne Arundel County', 'Anne Arundel'],
      ['24005', 'Baltimore County', 'Baltimore'],
      ['24510', 'Baltimore city', 'Baltimore'],
      ['11001', 'District of Columbia', 'District of Columbia'],
      ['72001', 'Adjuntas Municipio', 'Adjuntas'],
      ['29215', 'Texas County', 'Texas'],
      ['66010', 'Guam', 'Guam'],
    ] as const
  ).map(([code, name, shortName]): [string, County] => [
    code,
    { code, name, shortName, state: code.slice(0, 2), boxes: [] },
  ]),
);

async function placesIn(text: string | Uint8Array) {
  const file = path.join(folder(), 'places.txt');
  writeFileSync(file, text);
  return readPlaceList(file);
}
const places = await placesIn([HEADER, ...ROWS].join('\r\n'));

const counties = (area: Partial<AreaRequest>) => {
  const request = { places: [], counties: [], states: [], nation: false, ...area };
  requireKnownStates(request);
  return countiesIn(request, COUNTIES, places);
};
const ofPlace = (name: string) => counties({ places: [name] });
const ofCounty = (name: string) => counties({ counties: [name] });

test('a place is found by its everyday or its full name, whatever its case, accents and dots', () => {
  for (const name of [
    'Baltimore, MD',
    'baltimore city, maryland',
    ' BALTIMORE , 24',
    'Baltimore',
  ]) {
    expect(ofPlace(name)).toEqual(['24510']);
  }
  expect(ofPlace('Canon City, CO')).toEqual(['08043']);
  for (const saint of ['St Louis, MO', 'Saint Louis', 'saint louis city, mo']) {
    expect(ofPlace(saint)).toEqual(['29510']);
  }
  expect(ofPlace('Nashville-Davidson, TN')).toEqual(['47037']);
  expect(ofPlace('Leroy, MI')).toEqual(['26133']);
});

test('a place in several counties means all of them', () => {
  expect(ofPlace('Kansas City, MO')).toEqual(['29037', '29095']);
});

test('a name that several places or counties have is refused with the names of all of them', () => {
  expect(() => ofPlace('Chevy Chase, MD')).toThrow(
    '"Chevy Chase, MD" may be "Chevy Chase town, MD" (2416775, county 24031), "Chevy Chase CDP, MD" (2416787, county 24031); give one of these names, in quotes',
  );
  expect(ofPlace('Chevy Chase CDP, MD')).toEqual(['24031']);
  expect(() => ofPlace('Kansas City')).toThrow(
    '"Kansas City" may be "Kansas City city, MO" (2938000, 2 counties), "Kansas City city, KS" (2036000, county 20209)',
  );
  expect(() => ofCounty('Baltimore, MD')).toThrow(
    '"Baltimore, MD" may be "Baltimore County, MD" (county 24005), "Baltimore city, MD" (county 24510)',
  );
  expect(ofCounty('Baltimore city, MD')).toEqual(['24510']);
  expect(ofCounty('Anne Arundel, MD')).toEqual(['24003']);
});

test('places of one name and state are told apart by GEOID', () => {
  expect(() => ofPlace('Midway, FL')).toThrow(
    '"Midway, FL" may be "Midway CDP, FL" (1245400, county 12063), "Midway CDP, FL" (1245525, county 12113); give the code of one of them',
  );
  expect(ofPlace('1245400')).toEqual(['12063']);
  expect(ofPlace('1245525')).toEqual(['12113']);
  expect(() => ofPlace('1299999')).toThrow('the census of 2020 has no census place 1299999');
});

test('an unknown name is refused with similar ones, of the state first', () => {
  expect(() => ofPlace('Baltimor, MD')).toThrow(
    '"Baltimor, MD" is not the name of a census place; did you mean "Baltimore city, MD" (2404000, county 24510), "Baltimore Highlands CDP, MD" (2404050, county 24003)?',
  );
  expect(() => ofPlace('Nashville, TN')).toThrow(/did you mean "Nashville-Davidson metropolitan/);
  expect(() => ofPlace('Baltimore, VA')).toThrow(/did you mean "Baltimore city, MD"/);
  expect(() => ofCounty('Anne Arundle, MD')).toThrow(
    '"Anne Arundle, MD" is not the name of a county; did you mean "Anne Arundel County, MD" (county 24003)?',
  );
  expect(() => ofPlace('Xyzzyx, MD')).toThrow(/give its name as the Census Bureau writes it/);
});

test('a county or a state in place of a place is refused with the option that takes it', () => {
  const county = (text: string, listed: string) =>
    `"${text}" is a county, not a census place; give it as --county: ${listed}`;
  const arundel = '"Anne Arundel County, MD" (county 24003)';
  for (const name of ['Anne Arundel County, MD', 'anne arundel county', 'Anne Arundel, MD']) {
    expect(() => ofPlace(name)).toThrow(county(name, arundel));
  }
  expect(() => ofPlace('24003')).toThrow(county('24003', arundel));
  expect(() => ofPlace('Baltimore County, MD')).toThrow(
    /: "Baltimore County, MD" \(county 24005\)$/,
  );
  expect(() => ofPlace('Texas')).toThrow(
    county('Texas', '"Texas County, MO" (county 29215); the state as --state'),
  );
  expect(() => ofPlace('Guam')).toThrow(/"Guam" is not the name of a census place/);
  expect(() => ofPlace('MD')).toThrow('"MD" is a state, not a census place; give it as --state');
  expect(() => ofCounty('Maryland')).toThrow(
    '"Maryland" is a state, not a county; give it as --state',
  );
});

test('what is not a state is refused before anything is loaded', () => {
  const area = { places: [], counties: [], states: [], nation: false };
  for (const wrong of [
    { places: ['Baltimore, XX'] },
    { counties: ['Baltimore city, XX'] },
    { states: ['XX'] },
  ]) {
    expect(() => requireKnownStates({ ...area, ...wrong })).toThrow(
      '"XX" is not a state; give its two letters, such as MD',
    );
  }
  expect(() => requireKnownStates({ ...area, counties: ['66010'] })).toThrow(/66 is not a state/);
});

test('states and the nation are all counties with census data, each once', () => {
  expect(counties({ states: ['md'], counties: ['24510', '11001'] })).toEqual([
    '11001',
    '24003',
    '24005',
    '24510',
  ]);
  expect(counties({ states: ['District of Columbia', '72'] })).toEqual(['11001', '72001']);
  expect(counties({ nation: true })).toEqual([
    '11001',
    '24003',
    '24005',
    '24510',
    '29215',
    '72001',
  ]);
});

test('a list of places in Windows-1252 is read, and a file that is none is refused', async () => {
  const latin = await placesIn(Buffer.from([HEADER, ROWS[8]].join('\n'), 'latin1'));
  expect(latin[0].name).toBe('Cañon City city');
  await expect(placesIn('<html>moved</html>')).rejects.toThrow(
    /places\.txt: is not the Census Bureau’s list of places by county: it has no column STATEFP; check --census-url/,
  );
});

import { expect, test } from 'vitest';
import { countWords } from '../../portal/pages/map/blocks/block-bands.ts';
import { csvOf, geoJsonOf } from '../../portal/pages/map/blocks/block-files.ts';
import {
  basketListing,
  blockList,
  boxAround,
  comparisonList,
  reachList,
} from '../../portal/pages/map/blocks/block-lists.ts';
import { basketOf } from '../../portal/pages/map/measures/basket.ts';
import { comparisonOf } from '../../portal/pages/map/measures/comparison.ts';

/**
 * Three blocks of Alabama, whose GEOIDs begin with a zero. The population of the last is unknown.
 */
const GEOIDS = Float64Array.of(10010201001000, 10010201001001, 10010201001002);
const FACTS = {
  geoids: GEOIDS,
  population: [12, 0, null],
  lon: Float64Array.of(-86.5, -86.25, -86),
  lat: Float64Array.of(32.5, 32.25, 32),
};
const FILE = { release: 'r1', attribution: '© Someone' };

const linesOf = (csv: string) => csv.split('\r\n');

test('a reach lists the blocks within its minutes, with its mode, direction and origin', () => {
  const reach = { geoids: GEOIDS, minutes: Uint8Array.of(0, 10, 11) };
  const stated = { mode: 'walk', direction: 'to', origin: '32.1,-86.2' };
  const list = reachList(FACTS, reach, 10, stated);
  expect(linesOf(csvOf(list, 'r1'))).toEqual([
    'geoid,population,mode,direction,origin,minutes,lon,lat,release',
    '010010201001000,12,walk,to,"32.1,-86.2",0,-86.5,32.5,r1',
    '010010201001001,0,walk,to,"32.1,-86.2",10,-86.25,32.25,r1',
    '',
  ]);
  expect(boxAround(list)).toEqual([-86.5, 32.25, -86.25, 32.5]);
  const square = [[[[0, 0] as const, [1, 0] as const, [1, 1] as const, [0, 0] as const]]];
  const { features, ...rest } = JSON.parse(geoJsonOf(list, new Map([[GEOIDS[0], square]]), FILE));
  expect(rest).toEqual({ type: 'FeatureCollection', ...FILE });
  const [first, second] = features;
  expect([first.geometry.coordinates, second.geometry]).toEqual([square, null]);
  const { geoid, minutes, origin, population } = first.properties;
  expect([geoid, minutes, origin, population]).toEqual(['010010201001000', 0, '32.1,-86.2', 12]);
});

test('a catchment lists the blocks within its minutes, which are given to a tenth', () => {
  const catchment = { geoids: GEOIDS, minutes: Float64Array.of(0, 9.3, 10.1) };
  const list = reachList(FACTS, catchment, 10, { mode: 'walk', dest_id: 5 }, 1);
  expect(linesOf(csvOf(list, 'r1'))).toEqual([
    'geoid,population,mode,dest_id,minutes,lon,lat,release',
    '010010201001000,12,walk,5,0,-86.5,32.5,r1',
    '010010201001001,0,walk,5,9.3,-86.25,32.25,r1',
    '',
  ]);
  const [{ textOf }] = list.columns;
  expect(list.listed.map(textOf)).toEqual(['0.0 min', '9.3 min']);
});

test('a comparison lists the blocks that A or B reaches, with the minutes of both', () => {
  const a = { geoids: GEOIDS, minutes: Uint8Array.of(5, 31, 58) };
  const b = { geoids: GEOIDS.slice(1), minutes: Uint8Array.of(30, 59) };
  const list = comparisonList(FACTS, comparisonOf(a, b), 30);
  expect(linesOf(csvOf(list, 'r1'))).toEqual([
    'geoid,population,minutes_a,minutes_b,lon,lat,release',
    '010010201001000,12,5,,-86.5,32.5,r1',
    '010010201001001,0,31,30,-86.25,32.25,r1',
    '',
  ]);
  expect(list.columns.map(({ textOf }) => textOf(0))).toEqual(['5 min', 'over 60 min']);
});

test('a basket lists each criterion, empty where no street is near', () => {
  const criteria = [
    { mode: 'walk', type: 101, minutes: 15 },
    { mode: 'bike', type: 601, minutes: 10 },
  ];
  const basket = basketOf([Uint8Array.of(1, 4, 0), Uint8Array.of(2, 7, 1)], criteria);
  const list = blockList(FACTS, [0, 1, 2], 'in view', basketListing(basket, criteria, {}));
  expect(linesOf(csvOf(list, 'r1'))).toEqual([
    'geoid,population,criteria_met,furthest_over,furthest_to,furthest,walk-101-15,bike-601-10,lon,lat,release',
    '010010201001000,12,2,5,10,5-10 min,true,true,-86.5,32.5,r1',
    '010010201001001,0,0,30,,over 30 min,false,false,-86.25,32.25,r1',
    '010010201001002,,,,,no street near,,true,-86,32,r1',
    '',
  ]);
  expect(list.columns[0].textOf(2)).toBe('not known');
});

test('files without a block have their columns', () => {
  const list = reachList(FACTS, { geoids: GEOIDS, minutes: Uint8Array.of(9, 9, 9) }, 5, {});
  expect(csvOf(list, 'r1')).toBe('geoid,population,minutes,lon,lat,release\r\n');
  expect(boxAround(list)).toBeNull();
  expect(JSON.parse(geoJsonOf(list, new Map(), FILE)).features).toEqual([]);
});

test('classes of small counts share no number, and those of large ones their bounds', () => {
  const words = (bounds: readonly number[]) => [1, 2, 3, 4].map((one) => countWords(one, bounds));
  expect(words([5, 8, 12])).toEqual(['under 5', '5–7', '8–11', '12 or more']);
  expect(words([1, 2, 4])).toEqual(['0', '1', '2–3', '4 or more']);
  expect(words([500, 900, 2000])).toEqual(['under 500', '500–900', '900–2,000', '2,000 or more']);
});

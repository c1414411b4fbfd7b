import path from 'node:path';
import { expect, test } from 'vitest';
import { readAddressFeatures } from '../../builder/addresses/address-features.ts';
import { CountyStreets } from '../../builder/addresses/county-streets.ts';
import { readOsmAddresses } from '../../builder/addresses/osm-addresses.ts';
import { parityOf } from '../../builder/addresses/source-range.ts';
import type { OsmNode, OsmWay } from '../../infra/demo/osm-elements.ts';
import { writePbf } from '../../infra/demo/pbf-writer.ts';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

/** Writes a shapefile of one line with text columns, and reads its ranges. */
async function rangesOf(fields: Readonly<Record<string, string>>, notes: string[] = []) {
  const file = path.join(folder, `${Math.random()}.zip`);
  await writeShapefile(file, {
    name: 'tl_2024_99001_addrfeat',
    fields: Object.keys(fields).map((name) => ({ name, type: 'C', width: 40, decimals: 0 })),
    isOfLines: true,
    *records() {
      yield {
        polygon: [
          [
            [0, 0],
            [0.001, 0],
          ],
        ],
        values: Object.values(fields),
      };
    },
  });
  const ranges = [];
  for await (const range of readAddressFeatures(file, (line) => notes.push(line))) {
    ranges.push(range);
  }
  return ranges;
}

const EDGE = {
  FULLNAME: 'E Fort Ave',
  LFROMHN: '101',
  LTOHN: '199',
  RFROMHN: '100',
  RTOHN: '198',
  PARITYL: 'O',
  PARITYR: '',
  ZIPL: '21230',
  ZIPR: '',
};

test('an edge has a range on each side that has numbers', async () => {
  const line = [
    [0, 0],
    [0.001, 0],
  ];
  const common = { street: 'E Fort Ave', suffix: '', line };
  expect(await rangesOf(EDGE)).toEqual([
    { ...common, from: 101, to: 199, parity: 1, zip: '21230', side: 'left' },
    { ...common, from: 100, to: 198, parity: 2, zip: '', side: 'right' },
  ]);
  const sides = await rangesOf({ ...EDGE, LFROMHN: '', LTOHN: '' });
  expect(sides.map(({ side }) => side)).toEqual(['right']);
  expect(await rangesOf({ ...EDGE, FULLNAME: '' })).toEqual([]);
});

test('numbers that are none are counted, and another layer is refused by name', async () => {
  const notes: string[] = [];
  expect(await rangesOf({ ...EDGE, LFROMHN: 'N6W23001' }, notes)).toHaveLength(1);
  expect(notes).toEqual([expect.stringMatching(/: 1 × house numbers that are no plain numbers/)]);
  await expect(rangesOf({ FULLNAME: 'Elm St' })).rejects.toThrow(
    /record 1 has no LFROMHN; a TIGER\/Line addrfeat file is needed/,
  );
});

test('numbers of one parity have its ends', () => {
  expect([parityOf(101, 199), parityOf(100, 198), parityOf(100, 199)]).toEqual([1, 2, 0]);
});

test('OpenStreetMap has numbers of nodes, ways, relations, and between numbered nodes; neighbourhoods of nodes and areas with usable names', async () => {
  const file = path.join(folder, 'addresses.osm.pbf');
  const node = (id: number, lon: number, tags: OsmNode['tags'] = {}) => ({
    id,
    lon,
    lat: 39,
    tags,
  });
  /** The nodes of a square whose south-west corner is at a longitude, in the order of its sides. */
  const square = (id: number, west: number) =>
    [
      [0, 0],
      [0.002, 0],
      [0.002, 0.002],
      [0, 0.002],
    ].map(([east, north], i) => ({ ...node(id + i, west + east), lat: 39 + north }));
  const house = (number: string, street = 'Elm Street') => ({
    'addr:housenumber': number,
    'addr:street': street,
    'addr:postcode': '21201-1234',
  });
  const nodes = [
    node(1, -76, house('12A')),
    node(2, -76.001, { 'addr:housenumber': '1' }),
    node(3, -76.002),
    node(4, -76.004, { 'addr:housenumber': '9' }),
    node(5, -76.006, house('20;22')),
    node(6, -76.1, { place: 'neighbourhood', name: 'Fells Point' }),
    node(7, -76.2, { place: 'suburb', name: 'turned \u202e round' }),
    node(8, -76.2, { place: 'quarter', name: 'x'.repeat(101) }),
    node(9, -76.2, { place: 'hamlet', name: 'Elsewhere' }),
    node(10, -76.2, { place: 'suburb' }),
    ...square(11, -76.3),
    ...square(15, -76.4),
    node(19, -76.41, {}),
  ];
  const ways: OsmWay[] = [
    { id: 1, refs: [2, 4, 2], tags: house('30', 'Oak Street') },
    { id: 2, refs: [2, 3, 4], tags: { 'addr:interpolation': 'odd', 'addr:street': 'Elm Street' } },
    { id: 3, refs: [3, 4, 3], tags: {} },
    { id: 4, refs: [11, 12, 13, 14, 11], tags: { place: 'quarter', name: 'Canton' } },
    { id: 5, refs: [11, 12, 13], tags: { place: 'quarter', name: 'An open line' } },
    { id: 6, refs: [15, 16, 17], tags: {} },
    { id: 7, refs: [15, 18, 17], tags: {} },
  ];
  const relation = {
    id: 1,
    members: [{ way: 3, role: 'outer' }],
    tags: { type: 'multipolygon', ...house('40') },
  };
  const drawn = {
    id: 2,
    members: [6, 7].map((way) => ({ way, role: 'outer' })),
    tags: { type: 'boundary', place: 'suburb', name: 'Hampden' },
  };
  const box = { minLon: -77, minLat: 38, maxLon: -75, maxLat: 40 };
  await writePbf(
    file,
    {
      box,
      timestamp: new Date(0),
      nodes: () => nodes,
      ways: () => ways,
      relations: () => [relation, drawn],
    },
    () => {},
  );
  const found = [...(await readOsmAddresses(file))];
  const ranges = found.filter((one) => 'street' in one);
  const brief = ranges.map(({ street, from, to, suffix, zip, parity, line }) =>
    [street, from, to, suffix, zip, parity, line.map(([lon]) => lon).join()].join(' '),
  );
  expect(brief.sort()).toEqual(
    [
      'Elm Street 12 12 a 21201 0 -76',
      'Elm Street 20 20  21201 0 -76.006',
      'Elm Street 22 22  21201 0 -76.006',
      'Oak Street 30 30  21201 0 -76.0025',
      'Elm Street 40 40  21201 0 -76.003',
      'Elm Street 1 9   1 -76.001,-76.002,-76.004',
    ].sort(),
  );
  const parts = found.filter((one) => 'neighbourhood' in one);
  expect(
    parts.map((one) => [one.neighbourhood, ...one.line[0].map((at) => at.toFixed(3))]),
  ).toEqual([
    ['Fells Point', '-76.100', '39.000'],
    ['Hampden', '-76.399', '39.001'],
    ['Canton', '-76.299', '39.001'],
  ]);
});

test('a range is in the block on its side of the street; of two sources, and of two points of a neighbourhood, one is kept', () => {
  const square = (geoid: number, south: number) => ({
    geoid,
    county: '99001',
    lon: 0,
    lat: south,
    isWater: false,
    population: 0,
    landArea: 1,
    area: {
      polygons: [
        [
          [
            [0, south],
            [0.01, south],
            [0.01, south + 0.01],
            [0, south + 0.01],
            [0, south],
          ],
        ] as const,
      ],
    },
  });
  const streets = new CountyStreets([square(1, -0.01), square(2, 0)]);
  const line = [
    [0.001, 0],
    [0.009, 0],
  ] as const;
  const side = { street: 'Elm St', zip: '', parity: 0, suffix: '', line };
  streets.add({ ...side, from: 101, to: 199, side: 'left' });
  streets.add({ ...side, from: 100, to: 198, side: 'right' });
  streets.add({ ...side, from: 100, to: 198, side: 'right' });
  const point = { ...side, from: 7, to: 7, side: 'on' as const };
  streets.add({ ...point, street: 'Elm Street', line: [[0.002, 0.002]] });
  streets.add({ ...point, street: 'Elm Street', line: [[0.0021, 0.002]] });
  streets.add({ ...point, line: [[5, 5]] });
  const [street, ...others] = streets.finish();
  expect(others).toEqual([]);
  expect(street.label).toBe('Elm St');
  expect(street.ranges.map(({ from, geoid }) => [from, geoid])).toEqual([
    [7, 2],
    [100, 1],
    [101, 2],
  ]);
  // Five metres beside the street.
  expect(street.ranges[1].y.map((y) => Math.round(y / 5))).toEqual([-9, -9]);
  const part = (neighbourhood: string, lon: number) =>
    streets.add({ neighbourhood, line: [[lon, 0.005]] });
  part('Canton', 0.001);
  part('canton', 0.009);
  part('Fells Point', 0.002);
  part('Across the county line', 5);
  expect(streets.neighbourhoods()).toEqual([
    { label: 'Canton', geoid: 2, x: 1_000, y: 5_000 },
    { label: 'Fells Point', geoid: 2, x: 2_000, y: 5_000 },
  ]);
});

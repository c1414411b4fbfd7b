import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { ZipFile } from 'yazl';
import { BlockCounts, spread } from '../../builder/weights/block-counts.ts';
import { openWeightFile } from '../../builder/weights/open-weight-file.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { forAll } from '../support/for-all.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

/** Blocks of two block groups of one tract, and a block of another tract. */
const GEOIDS = [240010001001000, 240010001001001, 240010001002000, 240010002001000];
const POPULATIONS = [30, 10, 0, 5];

function counted(): BlockCounts {
  const county = {
    geoids: Float64Array.from(GEOIDS),
    populations: Uint32Array.from(POPULATIONS),
  };
  return new BlockCounts(new Map([['24001', county]]));
}

async function written(name: string, content: string | Buffer): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(file, content);
  return file;
}

async function read(...files: [name: string, content: string | Buffer][]): Promise<BlockCounts> {
  const counts = counted();
  for (const [name, content] of files) {
    await counts.add(await openWeightFile(await written(name, content), 'weights'));
  }
  return counts;
}

const columnOf = (counts: BlockCounts, weight: string) => [
  ...counts.columnsOf('24001').find((column) => column.weight === weight)!.counts,
];

test('a count is spread in whole numbers that add up, none more than one off its exact share', () =>
  forAll(
    200,
    fc.nat(4_294_967_295),
    fc.array(fc.nat(9_999), { minLength: 1, maxLength: 40 }),
    (count, populations) => {
      const given = [...spread(count, Uint32Array.from(populations))];
      const people = populations.reduce((sum, one) => sum + one, 0);
      expect(given.reduce((sum, one) => sum + one, 0)).toBe(count);
      for (const [i, one] of given.entries()) {
        const share = people === 0 ? 1 / populations.length : populations[i] / people;
        expect(Math.abs(one - count * share)).toBeLessThan(1.000001);
      }
    },
  ));

/** An archive of these files. */
function zipOf(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name);
  zip.end();
  return buffer(zip.outputStream);
}

test('LODES is read, gzipped or zipped or not: blocks without a row have none, and counties outside are ignored', async () => {
  const wac = [
    'w_geocode,C000,CA01,CE01,CE02,CE03,createdate',
    '240010001001001,60,1,10,20,30,20241101',
    '240010002001000,5,1,5,0,0,20241101',
    '240030001001001,7,1,7,0,0,20241101',
    '',
  ].join('\r\n');
  for (const [name, content] of [
    ['md_wac_S000_JT00_2022.csv.gz', gzipSync(wac)],
    ['md_wac_S000_JT00_2022.csv', wac],
    ['md_wac_S000_JT00_2022.csv.zip', await zipOf({ 'WAC.CSV': Buffer.from(wac) })],
    [
      'md_wac_S000_JT00_2022.zip',
      await zipOf({ 'in/wac.csv.gz': gzipSync(wac), '__MACOSX/in/._wac.csv.gz': Buffer.from('') }),
    ],
  ] as const) {
    const counts = await read([name, content]);
    counts.requireCoverage();
    expect(columnOf(counts, 'jobs')).toEqual([0, 60, 0, 5]);
    expect(columnOf(counts, 'jobs_mid_wage')).toEqual([0, 20, 0, 0]);
    const jobs = counts.weights.find(({ weight }) => weight === 'jobs');
    expect(jobs).toMatchObject({ year: 2022, total: 65, modelled: false, unit: 'jobs' });
  }
});

test('a custom table of tracts or block groups is spread by population, and marked as modelled', async () => {
  const tracts = await read(['cars.csv', 'geoid,no_car\n24001000100,9\n24001000200,2\n']);
  expect(columnOf(tracts, 'no_car')).toEqual([7, 2, 0, 2]);
  expect(tracts.weights).toEqual([
    {
      weight: 'no_car',
      label: 'No car',
      unit: 'no car',
      source: 'cars.csv',
      year: null,
      modelled: true,
      total: 11,
    },
  ]);
  const groups = await read([
    'g.csv',
    'GEOID,no_car\n240010001001,4\n240010001002,3\n240010002001,1\n',
  ]);
  expect(columnOf(groups, 'no_car')).toEqual([3, 1, 3, 1]);
});

test('the order of files does not matter', async () => {
  const files: [string, string][] = [
    ['one.csv', 'geoid,zeta,alpha\n24001000100,9,1\n24001000200,2,1\n'],
    ['two.csv', 'geoid,mid\n24001000100,9\n24001000200,2\n'],
  ];
  const [there, back] = [await read(...files), await read(...files.toReversed())];
  expect(back.weights).toEqual(there.weights);
  expect(back.columnsOf('24001')).toEqual(there.columnsOf('24001'));
});

const ALL = GEOIDS.map((geoid) => `${geoid},1`).join('\n');

test.each([
  [
    'a negative count',
    `geoid,jobs\n${ALL}\n`.replace('001001,1', '001001,-1'),
    /line 3: jobs is "-1"/,
  ],
  ['a fraction', `geoid,jobs\n${ALL}\n`.replace('001001,1', '001001,1.5'), /line 3: jobs is "1.5"/],
  ['an empty cell', `geoid,jobs\n${ALL}\n`.replace('001001,1', '001001,'), /line 3: jobs is ""/],
  [
    'a count beyond 32 bits',
    `geoid,jobs\n240010001001000,4294967296\n`,
    /line 2: jobs is "4294967296"/,
  ],
  [
    'a GEOID without its leading zero',
    'geoid,jobs\n4001000100100,1\n',
    /line 2: "4001000100100" is not a GEOID/,
  ],
  [
    'an unknown block',
    'geoid,jobs\n240010001001009,1\n',
    /line 2: 240010001001009 is not in the census blocks of county 24001/,
  ],
  [
    'a block twice',
    `geoid,jobs\n${ALL}\n240010002001000,1\n`,
    /line 6: jobs of block 240010002001000 is counted twice/,
  ],
  [
    'a block within a counted tract',
    'geoid,jobs\n24001000100,1\n240010001002000,1\n',
    /line 3: jobs of block 240010001002000 is counted twice/,
  ],
  [
    'a column that is no name',
    'geoid,Zero cars\n240010001001000,1\n',
    /column "Zero cars" is not a name of a weight/,
  ],
  [
    'the name of the census column',
    'geoid,people\n240010001001000,1\n',
    /people come from the census blocks/,
  ],
  ['a column twice', 'geoid,jobs,jobs\n240010001001000,1,1\n', /has the column jobs twice/],
  ['no GEOIDs', 'id,jobs\n240010001001000,1\n', /has neither geoid nor the columns of LODES/],
  ['no counts', 'geoid\n240010001001000\n', /has no column beside geoid/],
  [
    'another state',
    'geoid,jobs\n510010001001000,1\n',
    /has no row for 24001; is it of another state/,
  ],
  [
    'a page after its rows',
    `geoid,jobs\n240010001001000,1\n${'<p></p>'.repeat(999)}`,
    /line 3: "[<p>/]{60}…" is not a GEOID/,
  ],
  [
    'NULs for a count',
    `geoid,jobs\n240010001001000,${'\0'.repeat(999)}`,
    /line 2 has NUL characters; correct it/,
  ],
  ['a web page', '<!doctype html><html></html>', /is a web page, not a zip archive or a gzip file/],
])('a weight file is refused for %s, and the place is named', async (_what, content, message) => {
  const refused = read(['bad.csv', content]);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toThrow(path.join(folder, 'bad.csv'));
});

test('a weight that covers less than nine tenths of the blocks is refused', async () => {
  const counts = await read(['few.csv', 'geoid,jobs\n240010001001000,1\n240010001001001,1\n']);
  expect(() => counts.requireCoverage()).toThrow(
    /few\.csv: jobs covers 2 of 4 blocks \(50\.0 %\).*--partial-weights/,
  );
  const whole = await read(['all.csv', `geoid,jobs\n${ALL}\n`]);
  expect(() => whole.requireCoverage()).not.toThrow();
});

test('the groups of the demo city add up to its people, block by block, and its wages to its jobs', async () => {
  const store = new FolderStore(inject('demoStore'));
  const release = await releaseIn(store);
  const races = ['white', 'black', 'american_indian', 'asian', 'pacific_islander', 'other_race'];
  const known = release.weights.map(({ weight }) => weight);
  expect(known).toEqual(['people', ...known.slice(1).toSorted()]);
  for (const { manifest } of release.counties) {
    const column = (weight: string) => release.weightCounts(manifest, weight);
    const sum = async (weights: string[]) => {
      const columns = await Promise.all(weights.map(column));
      return Array.from(columns[0], (_, i) => columns.reduce((all, one) => all + one[i], 0));
    };
    expect(await sum([...races, 'two_or_more_races'])).toEqual([...(await column('people'))]);
    for (const unit of ['jobs', 'workers']) {
      const wages = ['low', 'mid', 'high'].map((wage) => `${unit}_${wage}_wage`);
      expect(await sum(wages)).toEqual([...(await column(unit))]);
    }
  }
  for (const { weight, total } of release.weights) {
    let sum = 0;
    for (const { manifest } of release.counties) {
      for (const count of await release.weightCounts(manifest, weight)) sum += count;
    }
    expect(sum).toBe(total);
    expect(total).toBeGreaterThan(0);
  }
});

import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { extractCoverageOf } from '../../builder/extract/extract-coverage.ts';
import { extractOsm } from '../../builder/extract/extract-osm.ts';
import { gatherOsm } from '../../builder/extract/gather-osm.ts';
import { CellRectangle } from '../../builder/geo/cell-rectangle.ts';
import { OsmTables } from '../../builder/prepare/read-osm-cells.ts';
import { writeOsmCells } from '../../builder/prepare/write-osm-cells.ts';
import { type Progress, silent } from '../../builder/progress.ts';
import { objectRefsIn, Receipts } from '../../builder/receipts/receipts.ts';
import type { Executor } from '../../builder/tasks/executor.ts';
import { preparingBy } from '../../builder/tasks/plan-release.ts';
import { ThreadExecutor } from '../../builder/tasks/thread-executor.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { Scratch } from '../osm/scratch.ts';
import { compiled } from '../support/compiled.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { jobsBy, keyOf } from '../support/prepared-city.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const scratch = new Scratch();
const folder = folderOfEachTest();

beforeAll(() => ensureDebianPackage('osmium-tool', 'osmium'));

const STEPS = [...Array(13).keys()];
const node = (x: number, y: number) => 100 * x + y + 1;

/**
 * Streets a tenth of a degree apart around a point where four cells meet, and other mapped
 * features.
 */
function countryside(): string {
  const nodes = STEPS.flatMap((x) =>
    STEPS.map((y) => {
      const tags = (x + y) % 5 === 0 ? 'shop=supermarket,name=Here' : '';
      return `n${node(x, y)} T${tags} x${(x - 6) / 10} y${(y - 6) / 10}`;
    }),
  );
  const row = (y: number) => STEPS.map((x) => `n${node(x, y)}`).join(',');
  const column = (x: number) => STEPS.map((y) => `n${node(x, y)}`).join(',');
  const ring = (corners: readonly number[]) => [...corners, corners[0]].map((n) => `n${n}`).join();
  // These corners are far from the centre of the area that they enclose.
  const outer = [
    'n5001 T x-0.4997 y-0.4997',
    'n5002 T x0.4997 y-0.4997',
    'n5003 T x0.4997 y0.4997',
    'n5004 Tbarrier=gate x-0.4997 y0.4997',
  ];
  // A node equally near to the relation and to the way that outlines it; only the node has an
  // address.
  const twice = 'Tleisure=park,name=Common';
  return scratch.pbf('countryside', [
    ...nodes,
    ...outer,
    `n5005 ${twice},addr:city=Here x0.05 y0.05`,
    ...STEPS.map((y) => `w${1000 + y} Thighway=residential N${row(y)}`),
    ...STEPS.map((x) => `w${2000 - x} Thighway=path N${column(x)}`),
    `w3000 Troute=ferry,foot=yes,duration=00:20 Nn${node(0, 0)},n${node(12, 12)}`,
    `w3001 Twaterway=river Nn${node(12, 0)},n${node(7, 1)},n99999,n${node(0, 12)}`,
    `w3002 Thighway=path Nn${node(6, 6)},n99998,n${node(7, 7)},n5001,n99997`,
    `w3007 Thighway=path Nn${node(6, 6)},n5005`,
    `w3003 T N${ring([5001, 5002, 5003, 5004])}`,
    `w3004 ${twice} N${ring([node(4, 4), node(8, 4), node(8, 8), node(4, 8)])}`,
    // The boxes around these two parks overlap cells that contain none of their nodes; one of the
    // cells is far from all of the nodes.
    `w3005 Tleisure=park,name=Corner N${ring([node(2, 4), node(4, 3), node(4, 4)])}`,
    `w3006 Tleisure=park,name=Large N${ring([node(2, 7), node(7, 3), node(7, 7)])}`,
    'r1 Ttype=multipolygon,leisure=park,name=Wide Mw3003@outer',
    'r2 Ttype=multipolygon,natural=water Mw3004@outer',
    `r3 ${twice},type=multipolygon Mw3004@outer`,
  ]);
}

async function prepare(
  file: string | string[],
  store: FolderStore,
  area = EVERYWHERE,
  batchBytes?: number,
  progress: Progress = silent,
  executor: Executor = new ThreadExecutor(store, {}, silent),
  preparing = preparingBy,
) {
  const receipts = new Receipts(store);
  const about = {
    paths: [file].flat(),
    keyOf,
    area,
    mapped: area === EVERYWHERE ? [] : [area],
    receipts,
    run: jobsBy(executor, store, receipts, preparing),
    progress,
    scratch: folder,
  };
  return writeOsmCells({ ...about, store, ...(batchBytes && { batchBytes }) });
}

function box(minLon: number, minLat: number, maxLon: number, maxLat: number): BoundingBox {
  return { minLon, minLat, maxLon, maxLat };
}

test.each([undefined, 50])(
  'shops and amenities without a type are counted once each, where they are: reading %s bytes at a time',
  async (batchBytes) => {
    const opl = (name: string, more: readonly string[]) =>
      scratch.pbf(name, [
        'n1 T x0.1 y0.1',
        'n2 T x0.2 y0.1',
        'n3 Tamenity=bench x0.2 y0.2',
        'n4 T x-0.2 y-0.2',
        'n5 T x5 y5',
        'n6 Tshop=gift x5.1 y5',
        'w1 Thighway=residential Nn1,n2,n4',
        // One of the two car parks starts outside the area, and a road does not count.
        'w2 Tamenity=parking Nn1,n2,n3,n1',
        'w3 Tamenity=parking Nn5,n6',
        ...more,
      ]);
    const shops = [
      'n10 Tshop=gift x0.1 y-0.1',
      'n11 Tshop=gift x-0.1 y0.1',
      'n12 Tshop=wax x0.1 y0.1',
      'n13 Tshop=chemist;%20%gift x0.3 y0.1',
      'n14 Tshop=no x0.1 y0.1',
      'n15 Tshop=bakery x0.1 y0.1',
      'n16 Tshop=gift,amenity=cafe x0.1 y0.1',
    ];
    const files = [opl('one', shops), opl('other', shops.slice(0, 1))];
    const notes: string[] = [];
    const store = new FolderStore(path.join(folder, 'unmapped'));
    const progress = { ...silent, note: (line: string) => void notes.push(line) };
    const { unmapped } = await prepare(files, store, box(-1, -1, 1, 1), batchBytes, progress);
    expect(unmapped).toEqual([
      { key: 'shop', value: 'gift', elements: 3 },
      { key: 'shop', value: 'chemist', elements: 1 },
      { key: 'shop', value: 'wax', elements: 1 },
      { key: 'amenity', value: 'bench', elements: 1 },
      { key: 'amenity', value: 'parking', elements: 1 },
    ]);
    expect(notes.join('\n')).toContain('shop without a type: gift (3), chemist (1), wax (1)');
  },
);

test.each([undefined, 50])(
  'durations that cannot be read are reported once each, reading %s bytes at a time',
  async (batchBytes) => {
    const file = scratch.pbf('ferries', [
      'n1 T x-0.2 y0.1',
      'n2 T x0.2 y0.1',
      'w1 Thighway=residential Nn1,n2',
      'w2 Troute=ferry,duration=soon,interval=PT20M Nn1,n2',
      'w3 Troute=ferry,duration=20%20%min Nn1,n2',
      'w4 Thighway=elevator,duration=fast Nn1,n2',
      'w5 Thighway=residential,duration=long Nn1,n2',
    ]);
    const notes: string[] = [];
    const store = new FolderStore(path.join(folder, 'ferries'));
    const progress = { ...silent, note: (line: string) => void notes.push(line) };
    await prepare(file, store, box(-1, -1, 1, 1), batchBytes, progress);
    expect(notes.filter((note) => note.includes('duration'))).toEqual([
      '2 durations of ferries and elevators cannot be read, so the defaults hold there: way 2: duration=soon; way 4: duration=fast',
    ]);
    await store.close();
  },
);

test.each([undefined, 50])(
  'a file with locations on ways is prepared as one with its nodes, reading %s bytes at a time',
  async (batchBytes) => {
    const plain = countryside();
    const located = scratch.path('located.osm.pbf');
    const options = ['--ignore-missing-nodes', '--overwrite'];
    execFileSync('osmium', ['add-locations-to-ways', plain, '-o', located, ...options]);
    const store = new FolderStore(path.join(folder, 'located'));
    const area = box(-1, -1, 1, 1);
    const { files: _, ...expected } = await prepare(plain, store, area, batchBytes);
    expect(Object.keys(expected.cells).length).toBeGreaterThan(10);
    expect(await prepare(located, store, area, batchBytes)).toMatchObject(expected);
    await store.close();
  },
);

const UNITS: [string, BoundingBox][] = [
  ['within one cell, which a side of a park leads through', box(0.05, -0.52, 0.2, -0.48)],
  ['on both sides of a border', box(-0.12, -0.52, 0.13, 0.1)],
  ['with all', box(-1, -1, 1, 1)],
];
const BATCHES: [string, number | undefined][] = [
  ['at a time', undefined],
  ['in batches', 50],
];

test.each(
  UNITS.flatMap(([where, area]) =>
    BATCHES.map(([how, batchBytes]) => ({ where, area, how, batchBytes })),
  ),
)(
  'a unit gets the files’ contents for the cells around it: $where, reading $how',
  async ({ area, batchBytes }) => {
    const file = countryside();
    const streetArea = box(area.minLon - 0.06, area.minLat - 0.02, area.maxLon, area.maxLat);
    const store = new FolderStore(path.join(folder, 'store'));
    const prepared = await prepare(file, store, box(-1, -1, 1, 1), batchBytes);
    const tables = new OsmTables(store, prepared);
    const { newestMs, ...elements } = await gatherOsm(
      [file],
      CellRectangle.of(EVERYWHERE),
      null,
      () => {},
    );
    const files = [{ ...(await extractCoverageOf(file)), newestMs: newestMs.get(file)! }];
    const whole = extractOsm(elements, files, area, streetArea);
    expect(whole.destinations.map(({ name }) => name)).toEqual(expect.arrayContaining(['Wide']));
    expect(whole.impassable.lines.count).toBeGreaterThan(0);
    expect(await tables.extract(area, streetArea, silent)).toEqual(whole);
    await store.close();
  },
);

test('a damaged cell is detected and rebuilt', async () => {
  const file = countryside();
  const store = new FolderStore(path.join(folder, 'store'));
  const prepared = await prepare(file, store);
  const [{ name, bytes }] = Object.values(prepared.cells);
  await writeFile(path.join(folder, 'store', name), Buffer.alloc(bytes));
  const tables = new OsmTables(store, prepared);
  await expect(tables.extract(EVERYWHERE, EVERYWHERE, silent)).rejects.toThrow(name);
  expect(await prepare(file, store)).toEqual(prepared);
  await store.close();
});

test('only the cells of the area are prepared', async () => {
  const store = new FolderStore(path.join(folder, 'store'));
  const { cells } = await prepare(countryside(), store, box(0.01, 0.01, 0.02, 0.02));
  expect(Object.keys(cells)).toHaveLength(1);
  await store.close();
});

test('the prepared data is the same whether everything is read at once, cell by cell, or by threads', async () => {
  const file = countryside();
  const { ThreadExecutor } = await compiled('tasks/thread-executor');
  const { preparingBy } = await compiled('tasks/plan-release');
  const preparedIn = async (name: string, batchBytes?: number, workers = 1) => {
    const store = new FolderStore(path.join(folder, name));
    const executor = new ThreadExecutor(store, { workers }, silent);
    const area = box(-1, -1, 1, 1);
    const prepared = await prepare(file, store, area, batchBytes, silent, executor, preparingBy);
    await executor.close();
    await store.close();
    return { prepared, batches: (await readdir(path.join(folder, name, 'receipts'))).length };
  };
  const [whole, parts] = [await preparedIn('whole'), await preparedIn('parts', 50)];
  expect(whole.batches).toBe(1);
  expect(parts.batches).toBeGreaterThan(8);
  expect(parts.prepared).toEqual(whole.prepared);
  expect(await preparedIn('threads', 50, 2)).toEqual(parts);
  const { overview, detail, wide } = whole.prepared.map;
  expect([overview, detail, wide].map((part) => Object.keys(part).length)).not.toContain(0);
});

test('cells are cut where their contents are most even, so that fewer batches read the files', async () => {
  // Streets of each column of cells: few in the west, many in the east.
  const streets = [1, 1, 1, 1, 1, 1, 1, 1, 20, 20, 20, 20].flatMap((count, column) =>
    Array.from({ length: count }, (_, i) => ({ x: column / 4 + 0.1, y: 0.01 + i / 1_000 })),
  );
  const file = scratch.pbf('uneven', [
    ...streets.flatMap(({ x, y }, i) => [`n${2 * i + 1} x${x} y${y}`, `n${2 * i + 2} x${x} y0.2`]),
    ...streets.map((_, i) => `w${i + 1} Thighway=residential Nn${2 * i + 1},n${2 * i + 2}`),
  ]);
  const { size } = await stat(file);
  const store = new FolderStore(path.join(folder, 'store'));
  // Two parts of ten and two columns have 48 of 88 streets at most; of two of six columns, one
  // would have 82, too many.
  await prepare(file, store, box(0.01, 0.01, 2.99, 0.24), (size * 70) / streets.length);
  await store.close();
  const receipts = await readdir(path.join(folder, 'store', 'receipts'));
  expect(receipts.filter((name) => /^osm-[0-9a-f]/.test(name))).toHaveLength(2);
});

test('damage that a thread finds is reported with file and place', async () => {
  const good = countryside();
  const bad = path.join(folder, 'damaged.osm.pbf');
  const bytes = await readFile(good);
  // The last block, of relations, is damaged.
  bytes.fill(0, bytes.length - 20);
  await writeFile(bad, bytes);
  const { ThreadExecutor } = await compiled('tasks/thread-executor');
  const { preparingBy } = await compiled('tasks/plan-release');
  const store = new FolderStore(path.join(folder, 'damaged'));
  const executor = new ThreadExecutor(store, { workers: 2 }, silent);
  const reading = prepare(bad, store, box(-1, -1, 1, 1), 50, silent, executor, preparingBy);
  await expect(reading).rejects.toThrow(`${bad}: the block at byte`);
  await executor.close();
  await store.close();
});

test('an area that overlaps many cells is written once', async () => {
  const corners = [...Array(2_000).keys()].map((i) => {
    const [x, y] = [Math.cos((i * Math.PI) / 1_000), Math.sin((i * Math.PI) / 1_000)];
    return `n${i + 10} T x${(2.5 * x).toFixed(7)} y${(2.5 * y).toFixed(7)}`;
  });
  const ring = [...corners.keys(), 0].map((i) => `n${i + 10}`).join();
  const file = scratch.pbf('forest', [
    'n1 T x0 y0',
    'n2 T x0.01 y0',
    ...corners,
    'w1 Thighway=residential Nn1,n2',
    `w2 T N${ring}`,
    'r1 Ttype=boundary,boundary=protected_area,leisure=nature_reserve,name=Forest Mw2@outer',
  ]);
  const store = new FolderStore(path.join(folder, 'store'));
  const prepared = await prepare(file, store, box(-3, -3, 3, 3), 20_000);
  const written = [...objectRefsIn(prepared)].reduce((sum, { bytes }) => sum + bytes, 0);
  expect(written).toBeLessThan(2_000 * 100);
  const near = box(-0.1, -0.1, 0.1, 0.1);
  const { destinations } = await new OsmTables(store, prepared).extract(near, near, silent);
  expect(destinations.map(({ name }) => name)).toEqual(['Forest']);
  await store.close();
});

test('a place that two files have in two cells is kept once, however much is read at a time', async () => {
  const version = (name: string, lon: number) =>
    scratch.pbf(name, [
      'n1 T x-0.3 y0.1',
      'n2 T x0.3 y0.1',
      'w1 Thighway=residential Nn1,n2',
      `n3 Tshop=supermarket,name=Moved x${lon} y0.1`,
    ]);
  const files = [version('before', -0.3), version('after', 0.3)];
  const near = box(-0.5, -0.5, 0.5, 0.5);
  for (const batchBytes of [undefined, 50]) {
    const store = new FolderStore(path.join(folder, `store-${batchBytes}`));
    const tables = new OsmTables(store, await prepare(files, store, near, batchBytes));
    const { destinations } = await tables.extract(near, near, silent);
    expect(destinations.map(({ name, lon }) => [name, lon])).toEqual([['Moved', 0.3]]);
    await store.close();
  }
});

test.each([undefined, 50])(
  'files that overlap give the last version of a node, and a way once, reading %s bytes at a time',
  async (batchBytes) => {
    // A street across a border, of which each file lacks the nodes on the other side; both files
    // have the street, and versions of a gate on it that later is none.
    const half = (name: string, nodes: readonly string[]) =>
      scratch.pbf(name, [...nodes, 'w1 Thighway=residential Nn1,n2,n3,n4']);
    const files = [
      half('west', [
        'n1 T x-0.6 y0.1',
        'n2 Tbarrier=gate x-0.3 y0.1',
        'n5 t2021-01-01T00:00:00Z Tshop=bakery x-0.3 y0.1',
      ]),
      half('east', ['n2 T x-0.3 y0.1', 'n3 T x0.3 y0.1', 'n4 T x0.6 y0.1', 'n5 T x-0.3 y0.1']),
    ];
    const all = box(-1, -1, 1, 1);
    const store = new FolderStore(path.join(folder, 'store'));
    const prepared = await prepare(files, store, all, batchBytes);
    const tables = new OsmTables(store, prepared);
    const { streets, nodes, missing, destinations, newestMs } = await tables.extract(
      all,
      all,
      silent,
    );
    expect([destinations, newestMs]).toEqual([[], Date.UTC(2021, 0, 1)]);
    expect([streets.count, [...nodes.osmId]]).toEqual([1, [1, 2, 3, 4]]);
    expect([...nodes.lon]).toEqual([-0.6, -0.3, 0.3, 0.6]);
    expect([...nodes.traits]).toEqual([0, 0, 0, 0]);
    expect(missing).toEqual({ atEnds: 0, inside: 0, cutWays: 0 });
    await store.close();
  },
);

test('after an interruption, the same preparation goes on with the batches that are left', async () => {
  const file = countryside();
  const area = box(-1, -1, 1, 1);
  const store = new FolderStore(path.join(folder, 'interrupted'));
  let begun = 0;
  // Runs one job after another, up to a number of them.
  const executorOf = (most: number): Executor => {
    const executor = new ThreadExecutor(store, {}, silent);
    let last: Promise<unknown> = Promise.resolve();
    return {
      run(node, progress) {
        const result = last.then(() => {
          if (++begun > most) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
          return executor.run(node, progress);
        });
        last = result;
        return result;
      },
      close: () => executor.close(),
    };
  };
  const interrupted = prepare(file, store, area, 50, silent, executorOf(3));
  await expect(interrupted).rejects.toThrow('no space');
  const [before, whole] = [begun - 1, new FolderStore(path.join(folder, 'whole'))];
  const prepared = await prepare(file, store, area, 50, silent, executorOf(1_000));
  expect(prepared).toEqual(await prepare(file, whole, area, 50));
  const jobs = (await readdir(path.join(folder, 'whole', 'receipts'))).length;
  expect([before, begun]).toEqual([3, jobs + 1]);
  await store.close();
  await whole.close();
});

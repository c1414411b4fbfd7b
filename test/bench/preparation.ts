import { type FileHandle, open, readlink, stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { DEFAULT_MEMORY } from '../../builder/build-request.ts';
import { readPbf } from '../../builder/osm/pbf.ts';
import { writeOsmCells } from '../../builder/prepare/write-osm-cells.ts';
import { silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { ThreadExecutor } from '../../builder/tasks/thread-executor.ts';
import type { OsmNode, OsmRelation, OsmWay } from '../../infra/demo/osm-elements.ts';
import { writePbf } from '../../infra/demo/pbf-writer.ts';
import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { jobsBy, keyOf } from '../support/prepared-city.ts';
import { figure } from './figure.ts';
import type { BenchInputs } from './inputs.ts';
import { residentMemory } from './resident-memory.ts';

/** Columns and rows of copies of a city side by side, which make a state's extract of 400 MB. */
const COLUMNS = 30;
const ROWS = 24;
/** Degrees between two copies: a little more than the city is wide and high. */
const STEP = { lon: 0.08, lat: 0.048 };
/** Ids per copy: more than any id of the city. */
const IDS = 1e10;

/**
 * Measures the preparation of OpenStreetMap of some states, each an extract of 400 MB, by as many
 * threads as there are cores: wall time, processor time, the ratio of wall time to processor time
 * per core, peak memory, and how many times the extracts are read. Takes four times the extracts of
 * disk.
 */
export async function benchPreparation(
  { osm: city }: BenchInputs,
  states: number,
  folder: string,
): Promise<void> {
  const paths: string[] = [];
  const boxes: BoundingBox[] = [];
  let size = 0;
  for (let state = 0; state < states; state++) {
    const osm = path.join(folder, `state-${state}-of-${states}.osm.pbf`);
    boxes.push(await writeState(city, osm, state, states));
    paths.push(osm);
    size += (await stat(osm)).size;
  }
  const area = boxes.reduce(boxAroundBoth);
  const cores = availableParallelism();
  const about = { megabytes: Math.round(size / 1e6), states, cores };
  const store = new FolderStore(path.join(folder, `states-${states}`));
  const executor = new ThreadExecutor(store, { workers: cores }, silent);
  const counter = await countReads(paths);
  // Resets the peak of resident memory.
  await writeFile('/proc/self/clear_refs', '5');
  const [begun, used] = [performance.now(), process.cpuUsage()];
  try {
    const receipts = new Receipts(store);
    const run = jobsBy(executor, store, receipts);
    const context = { keyOf, store, receipts, progress: silent, run };
    await writeOsmCells({ ...context, scratch: folder, paths, area, mapped: [area] });
  } finally {
    counter.stop();
    await executor.close();
    await store.close();
  }
  const wall = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(used);
  const processor = (user + system) / 1e6;
  figure('preparation.wall_time', wall, 's', about);
  figure('preparation.processor_time', processor, 's', about);
  figure('preparation.wall_over_processor_time_by_core', (wall * cores) / processor, '', {
    ...about,
    wanted: 1.1,
  });
  const peak = await residentMemory(process.pid, 'VmHWM');
  figure('preparation.peak_memory', peak, 'MB', { ...about, wanted: DEFAULT_MEMORY / 2 ** 20 });
  figure('preparation.read_over_size', counter.bytes() / size, '', { ...about, wanted: 3.5 });
}

/** Counts the bytes that this thread, the only one to read large extracts, reads of files. */
async function countReads(paths: readonly string[]) {
  const handle = await open(paths[0]);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const read = prototype.read as (...args: unknown[]) => Promise<{ bytesRead: number }>;
  const isCounted = new WeakMap<FileHandle, boolean>();
  let bytes = 0;
  prototype.read = async function (this: FileHandle, ...args: unknown[]) {
    if (!isCounted.has(this)) {
      isCounted.set(this, paths.includes(await readlink(`/proc/self/fd/${this.fd}`)));
    }
    const done = await read.apply(this, args);
    if (isCounted.get(this)) bytes += done.bytesRead;
    return done;
  } as FileHandle['read'];
  return {
    bytes: () => bytes,
    stop() {
      prototype.read = read as FileHandle['read'];
    },
  };
}

/**
 * Writes copies of a file side by side, north of the states before this one. The ids of each copy
 * follow those of the one before, as after imports county by county, and those of the states
 * alternate, as edits everywhere at the same time do. Returns the area.
 */
async function writeState(
  city: string,
  extract: string,
  state: number,
  states: number,
): Promise<BoundingBox> {
  const nodes: OsmNode[] = [];
  const ways: OsmWay[] = [];
  const relations: OsmRelation[] = [];
  const { box } = await readPbf(city, {
    node: (id, lon, lat, tags) =>
      void nodes.push({ id, lon, lat, tags: Object.fromEntries(tags.entries()) }),
    way: (id, refs, tags) =>
      void ways.push({ id, refs: [...refs], tags: Object.fromEntries(tags.entries()) }),
    relation: (id, members, tags) => {
      const wayMembers = members.filter(({ type }) => type === 'way');
      const kept = wayMembers.map(({ ref, role }) => ({ way: ref, role }));
      relations.push({ id, members: kept, tags: Object.fromEntries(tags.entries()) });
    },
  });
  const firstRow = state * ROWS;
  const area = {
    ...box!,
    minLat: box!.minLat + firstRow * STEP.lat,
    maxLon: box!.minLon + COLUMNS * STEP.lon,
    maxLat: box!.minLat + (firstRow + ROWS) * STEP.lat,
  };
  const idOf = (id: number, copy: number) => (copy * states + state) * IDS + id;
  await writePbf(extract, {
    box: area,
    timestamp: new Date('2026-01-01T00:00:00Z'),
    nodes: () =>
      copiesOf(nodes, (node, copy) => ({
        ...node,
        id: idOf(node.id, copy),
        lon: node.lon + (copy % COLUMNS) * STEP.lon,
        lat: node.lat + (firstRow + Math.floor(copy / COLUMNS)) * STEP.lat,
      })),
    ways: () =>
      copiesOf(ways, (way, copy) => ({
        ...way,
        id: idOf(way.id, copy),
        refs: way.refs.map((node) => idOf(node, copy)),
      })),
    relations: () =>
      copiesOf(relations, (relation, copy) => ({
        ...relation,
        id: idOf(relation.id, copy),
        members: relation.members.map(({ way, role }) => ({ way: idOf(way, copy), role })),
      })),
  });
  return area;
}

function* copiesOf<Element>(
  elements: readonly Element[],
  copied: (element: Element, copy: number) => Element,
): Generator<Element> {
  for (let copy = 0; copy < ROWS * COLUMNS; copy++) {
    for (const element of elements) yield copied(element, copy);
  }
}

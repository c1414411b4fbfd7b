import { createHash } from 'node:crypto';
import { beforeAll } from 'vitest';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { StoreError } from '../../shards/errors.ts';
import { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import { TENTHS } from '../../shards/matrix/row-codec.ts';
import type { Mode } from '../../shards/modes.ts';
import { encodeNearest } from '../../shards/nearest/nearest.ts';
import { DestDirectory } from '../../shards/pois/dest-directory.ts';
import { encodePoiTable } from '../../shards/pois/poi-table.ts';
import { encodeLatest } from '../../shards/release/latest.ts';
import {
  COUNTY_OBJECT_KINDS,
  type CountyManifest,
  type CountyObjectKind,
  type Latest,
  type Manifest,
} from '../../shards/release/manifest.ts';
import { FORMAT_VERSION } from '../../shards/store/envelope.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { bufferBody } from '../../shards/store/put-body.ts';
import { Spool } from '../../shards/store/spool.ts';
import { LATEST, type ObjectRef, type WritableStore } from '../../shards/store/store.ts';
import type { DestinationType } from '../../shards/taxonomy.ts';
import { SMALL_MODES, type SmallBlock, type SmallCounty, type SmallPoi } from './small-world.ts';
import { folderOfTests } from './temporary-folder.ts';

/** A taxonomy with leaves, parents, and a parent of a parent. */
export const SMALL_TAXONOMY: readonly DestinationType[] = [
  { dest_type_id: 100, label: 'food', name: 'Food', parent_id: null },
  { dest_type_id: 101, label: 'grocery_stores', name: 'Grocery stores', parent_id: 100 },
  { dest_type_id: 102, label: 'cafes', name: 'Cafés', parent_id: 100 },
  { dest_type_id: 201, label: 'parks', name: 'Parks', parent_id: null },
  { dest_type_id: 300, label: 'education', name: 'Education', parent_id: null },
  { dest_type_id: 310, label: 'public_schools', name: 'Public schools', parent_id: 300 },
  { dest_type_id: 311, label: 'elementary_schools', name: 'Elementary schools', parent_id: 310 },
  { dest_type_id: 312, label: 'high_schools', name: 'High schools', parent_id: 310 },
  { dest_type_id: 320, label: 'libraries', name: 'Libraries', parent_id: 300 },
];
export const SMALL_LEAVES: readonly number[] = [101, 102, 201, 311, 312, 320];

/** Modes and types of a release. */
interface SmallScope {
  /** Modes in the order of their ids. */
  readonly modes?: readonly Mode[];
  readonly types?: readonly DestinationType[];
}

/**
 * Publishes counties as a release into a folder, directly with the writers of `shards/`. The same
 * counties give the same objects; publishing again replaces the current release.
 */
export async function publishSmallRelease(
  folder: string,
  release: string,
  counties: readonly SmallCounty[],
  { modes = SMALL_MODES, types = SMALL_TAXONOMY }: SmallScope = {},
): Promise<Manifest> {
  const store = new FolderStore(folder);
  const scope = { modes, types };
  try {
    const manifests: Record<string, CountyManifest> = {};
    for (const county of counties) {
      manifests[county.fips] = await putCounty(store, county, scope);
    }
    const manifest: Manifest = {
      format: FORMAT_VERSION,
      release,
      modes: [...modes],
      directions: ['from', 'to'],
      components: [{ component: 'blocks', version: 'small', effective_date: '2020-04-01' }],
      assumptions: { walk_speed_kmh: 4.8 },
      taxonomy: { version: '1', types: [...types] },
      feeds: [],
      feeds_left_out: [],
      poi_lists: [],
      unmapped_values: [],
      weights: [],
      access: [],
      counties: manifests,
      states: {},
      objects: {
        'dest-ids': await put(store, 'dest-ids/all', DestDirectory.encode(homesOf(counties))),
        'county-map': await put(store, 'county-map/all', UNREAD),
      },
      tiles: {},
    };
    await publish(store, manifest);
    return manifest;
  } finally {
    await store.close();
  }
}

/** The folder of a small release, for the tests of a file. */
export function smallReleaseOfTests(...counties: SmallCounty[]): string {
  const folder = folderOfTests();
  beforeAll(async () => void (await publishSmallRelease(folder, 'small', counties)));
  return folder;
}

/** The home county of each POI, ascending by id; the first county, if several have the id. */
function homesOf(counties: readonly SmallCounty[]) {
  const homes = new Map<number, string>();
  for (const { fips, pois } of counties) {
    for (const { destId } of pois) if (!homes.has(destId)) homes.set(destId, fips);
  }
  return [...homes].map(([id, county]) => ({ id, county })).sort((a, b) => a.id - b.id);
}

/** Placeholder for the objects that the routes over a small release do not read. */
const UNREAD = new TextEncoder().encode('not read');

async function putCounty(
  store: WritableStore,
  county: SmallCounty,
  scope: Required<SmallScope>,
): Promise<CountyManifest> {
  const { modes } = scope;
  const leaves = leavesOf(scope);
  const objects: Partial<Record<CountyObjectKind, Uint8Array>> = {
    index: encodeIndex(county.blocks),
    nearest: encodeNearest(
      `nearest/${county.fips}`,
      nearestTimes(county, modes, leaves),
      modes.length * leaves.length,
    ),
    pois: await encodePois(county, modes),
    catchment: await encodeCatchments(county, modes),
  };
  const refs: Record<string, ObjectRef> = {};
  for (const kind of COUNTY_OBJECT_KINDS.filter(
    (one) => !['access', 'weights', 'addresses', 'transit-step-free'].includes(one),
  )) {
    refs[kind] = await put(store, `${kind}/${county.fips}`, objects[kind] ?? UNREAD);
  }
  return {
    blocks: county.blocks.length,
    population: county.blocks.reduce((sum, block) => sum + (block.population ?? 0), 0),
    routable_blocks: county.blocks.filter(isLinked).length,
    block_box: [-76.7, 39.2, -76.5, 39.4],
    poi_box: [-76.7, 39.2, -76.5, 39.4],
    reach: { from: [county.fips], to: [county.fips] },
    objects: refs as CountyManifest['objects'],
  };
}

function encodeIndex(blocks: readonly SmallBlock[]): Uint8Array {
  return BlockIndex.encode(
    blocks.map(({ geoid, population, landArea, links }) => ({
      geoid: Number(geoid),
      population,
      landArea,
      lon: -76_600_000,
      lat: 39_300_000,
      links: [links.walk, links.bike].map((status) => ({
        status,
        snap: status === 'linked' ? 12.5 : 0,
      })),
    })),
  );
}

function isLinked({ links }: SmallBlock): boolean {
  return links.walk === 'linked' || links.bike === 'linked';
}

function leavesOf({ types }: Required<SmallScope>): number[] {
  const parents = new Set(types.map(({ parent_id }) => parent_id));
  const leaves = types.map(({ dest_type_id }) => dest_type_id).filter((id) => !parents.has(id));
  return leaves.sort((a, b) => a - b);
}

/** The lowest time to any POI of each leaf type, by definition. */
function nearestTimes(
  { blocks, pois }: SmallCounty,
  modes: readonly Mode[],
  leaves: readonly number[],
): Uint16Array {
  const cells = blocks.flatMap((block) =>
    modes.flatMap((mode) =>
      leaves.map((leaf) => {
        const times = pois
          .filter((poi) => poi.types.includes(leaf))
          .flatMap((poi) => block.tenths[mode]?.get(poi.destId) ?? []);
        return times.length === 0 ? 0 : Math.min(...times);
      }),
    ),
  );
  return Uint16Array.from(cells);
}

function encodePois(
  { fips, blocks, pois }: SmallCounty,
  modes: readonly Mode[],
): Promise<Uint8Array> {
  return encodeMatrix(
    `pois/${fips}`,
    modes,
    { origins: blocks.map(({ geoid }) => Number(geoid)), targets: pois.map(idOf), pois },
    (origin, mode, target) => blocks[origin].tenths[mode]?.get(pois[target].destId),
  );
}

function encodeCatchments(
  { fips, blocks, pois }: SmallCounty,
  modes: readonly Mode[],
): Promise<Uint8Array> {
  return encodeMatrix(
    `catchment/${fips}`,
    modes,
    { origins: pois.map(idOf), targets: blocks.map(({ geoid }) => Number(geoid)), pois },
    (origin, mode, target) => blocks[target].tenths[mode]?.get(pois[origin].destId),
  );
}

/** Encodes the times between origins and targets, which `timeOf` identifies by their ordinals. */
function encodeMatrix(
  stem: string,
  modes: readonly Mode[],
  { origins, targets, pois }: { origins: number[]; targets: number[]; pois: readonly SmallPoi[] },
  timeOf: (origin: number, mode: Mode, target: number) => number | undefined,
): Promise<Uint8Array> {
  const attributes = encodePoiTable(pois.map(poiFacts));
  const shape = { origins, targets, attributes, modes: modes.length, unit: TENTHS };
  const writer = new MatrixWriter(stem, shape, new Spool('small enough for memory'));
  for (const origin of origins.keys()) {
    writer.row(
      modes.map((mode) => {
        const reached = targets.flatMap((_, ordinal) => {
          const time = timeOf(origin, mode, ordinal);
          return time === undefined ? [] : [{ ordinal, time }];
        });
        return {
          targets: Uint32Array.from(reached, ({ ordinal }) => ordinal),
          times: Uint16Array.from(reached, ({ time }) => time),
        };
      }),
    );
  }
  return bufferBody(writer.finish());
}

const idOf = ({ destId }: SmallPoi) => destId;

function poiFacts({ name, lon, lat, address, types }: SmallPoi) {
  return { name, lon, lat, ...address, brand: null, types };
}

async function put(store: WritableStore, stem: string, bytes: Uint8Array): Promise<ObjectRef> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = `${stem}-${sha256.slice(0, 16)}.tta`;
  await store.putContent(name, bytes);
  return { name, bytes: bytes.length, sha256 };
}

async function publish(store: WritableStore, manifest: Manifest): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(manifest));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = `manifests/${manifest.release}-${sha256.slice(0, 16)}.json`;
  await store.putContent(name, bytes);
  const latest: Latest = {
    release: manifest.release,
    manifest: name,
    sha256,
    published_at: '2026-11-21T08:00:00.000Z',
  };
  const before = await store.readWhole(LATEST).catch((error) => {
    if (error instanceof StoreError && error.failure === 'missing') return null;
    throw error;
  });
  await store.putConditional(LATEST, encodeLatest(latest), before?.identity ?? null);
}

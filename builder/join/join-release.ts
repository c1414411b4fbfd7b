import { z } from 'zod';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { counted } from '../../shards/number-words.ts';
import { DestDirectory } from '../../shards/pois/dest-directory.ts';
import {
  type CountyManifest,
  DIRECTIONS,
  type Direction,
  type Latest,
  type Manifest,
  manifestSchema,
  type TileArchive,
} from '../../shards/release/manifest.ts';
import { FORMAT_VERSION } from '../../shards/store/envelope.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import { countedNames } from '../access/count-access.ts';
import type { ReleaseRequest, Resources } from '../build-request.ts';
import { requireThisProgram } from '../plan/program-version.ts';
import { type ReleasePlan, type StoredPlan, searchedWindows } from '../plan/release-plan.ts';
import type { Progress } from '../progress.ts';
import { forgetDamagedPublication } from '../publish/first-publication.ts';
import { noteRelease } from '../publish/note-release.ts';
import { requireObjects } from '../publish/promote-release.ts';
import { promote, putManifest } from '../publish/publish.ts';
import { putObject } from '../publish/put-object.ts';
import type { ReceiptOf, Receipts } from '../receipts/receipts.ts';
import type { RegionReceipt } from '../receipts/region-receipt.ts';
import { assumptions } from '../routing-parameters.ts';
import type { TileArchives } from '../tiles/join-archives.ts';
import { components } from './components.ts';
import {
  type CountySummary,
  type JoinedCounty,
  type Part,
  type PartOptions,
  readSummary,
} from './join-part.ts';
import { type Counties, joinRegions, reachOf } from './join-regions.ts';
import { clashIn } from './known-destinations.ts';
import type { States } from './state-objects.ts';

interface JoinRequest extends ReleaseRequest, Resources {
  readonly plan: StoredPlan;
}

const receiptSchema = z.strictObject({ manifest: manifestSchema });

/** The receipt of a join, whose key follows from the plan of a release and all its options. */
export function joinReceipt(request: JoinRequest): ReceiptOf<typeof receiptSchema> {
  const { release, plan } = request;
  const madeOf = [plan.ref.sha256, release, partOptionsOf(request)];
  return ['join', hashOfJson(madeOf), receiptSchema];
}

/** The options of a release that the parts of its join depend on, given or by default. */
export function partOptionsOf({
  tiles = true,
  directions = DIRECTIONS,
  access,
  plan: { plan },
}: ReleaseRequest & { readonly plan: Pick<StoredPlan, 'plan'> }): PartOptions {
  return {
    tiles,
    directions: DIRECTIONS.filter((one) => directions.includes(one)),
    access: countedNames({ ...plan.weights, types: plan.taxonomy.types }, access),
  };
}

/** The results of all tasks before the last one. */
interface JoinedParts {
  readonly regions: readonly RegionReceipt[];
  readonly parts: readonly Part[];
  readonly states: States;
  readonly tiles: TileArchives;
  /** Access classes by county; empty for a release that has none. */
  readonly classes: Readonly<Record<CountyFips, TileArchive>>;
}

/**
 * Assembles a release from what tasks have left in the store: adds the directory of POIs, the map
 * of counties, and the manifest. Nothing is published yet.
 */
export async function joinRelease(
  request: JoinRequest,
  { regions, parts, states, tiles, classes }: JoinedParts,
  store: WritableStore,
  progress: Progress,
  receipts: Receipts,
): Promise<Manifest> {
  requireThisProgram(request.plan);
  const stage = progress.start('join', null, 'counties');
  const { sources, counties: built } = joinRegions(request.plan, regions);
  const { plan } = request.plan;
  const { modes, taxonomy, weights, addresses } = plan;
  const { directions, access } = partOptionsOf(request);
  const licensed = <Feed extends { readonly sha256: string | null }>(feed: Feed) => {
    return { ...feed, licence: plan.feed_licences[feed.sha256 ?? ''] ?? null };
  };
  const joined = new Map(parts.flatMap((part) => Object.entries(part.counties)));
  const counties = countyManifests(built, directions, {
    joined,
    classes,
    weights: weights.weights.length > 0 ? weights.counties : {},
    addresses: addresses?.counties ?? {},
    names: plan.county_names,
  });
  const summaries = await readSummaries(store, parts, built);
  const manifest: Manifest = {
    format: FORMAT_VERSION,
    release: request.release,
    modes: [...modes],
    ...windowsOf(plan),
    directions: [...directions],
    components: components(sources),
    assumptions: assumptions(
      sources.transit,
      directions,
      sources.files.elevation !== undefined,
      plan.rules_of_r5,
      sources.furtherWalks,
      sources.routing,
    ),
    taxonomy,
    feeds: (sources.transit?.feeds ?? []).map(licensed),
    feeds_left_out: plan.feeds_left_out.map(licensed),
    poi_lists: plan.inputs.pois
      .map(({ name, sha256 }) => ({ file: name, sha256 }))
      .sort((a, b) => (a.file < b.file ? -1 : 1)),
    unmapped_values: plan.osm.unmapped,
    weights: [...weights.weights],
    access: [...access],
    counties,
    states,
    objects: {
      'dest-ids': await putDestIds(store, summaries, regions),
      'county-map': await putObject(store, 'county-map/all', 'fgb', countyMap(summaries, built)),
      ...(addresses && { 'address-directory': addresses.directory }),
    },
    tiles,
  };
  const [joinStage, key] = joinReceipt(request);
  await receipts.keep(joinStage, key, { manifest });
  const archives = counted(Object.keys(tiles).length, 'tile archive');
  stage.finish(`${counted(built.size, 'county', 'counties')}, ${archives}`);
  return manifest;
}

/** The windows of departures of a plan, as in a manifest; nothing if there is no choice. */
function windowsOf(plan: ReleasePlan): Pick<Manifest, 'windows'> {
  const windows = searchedWindows(plan);
  if (windows.length < 2 && (windows[0]?.percentiles.length ?? 0) < 2) return {};
  return {
    windows: windows.map(({ feeds, percentiles, name, opens, departures, day, service_date }) => ({
      name,
      opens,
      departures,
      day,
      service_date,
      percentiles: [...percentiles],
      feeds: feeds.map(
        ({
          facts: { agency, file, sha256, service_date, runs_on_common_day, trips_in_window },
        }) => ({
          agency,
          file,
          sha256,
          service_date,
          runs_on_common_day,
          trips_in_window,
        }),
      ),
    })),
  };
}

/**
 * Makes a joined release current, after checking that all objects it names exist, since the store
 * may have lost some in the meantime. Must not run while another build writes. `latest.json` is
 * swapped last.
 */
export async function publishRelease(store: WritableStore, manifest: Manifest): Promise<Latest> {
  await requireObjects(store, `release ${manifest.release}`, manifest);
  const ref = await putManifest(store, manifest);
  await noteRelease(store, { name: ref.name, manifest });
  await forgetDamagedPublication(store, ref.name);
  return promote(store, manifest.release, ref, new Date());
}

async function readSummaries(
  store: Store,
  parts: readonly Part[],
  counties: Counties,
): Promise<ReadonlyMap<CountyFips, CountySummary>> {
  const found: Record<CountyFips, CountySummary> = {};
  for (const part of parts) Object.assign(found, await readSummary(store, part));
  return new Map(Array.from(counties.keys(), (county) => [county, found[county]]));
}

/**
 * Stores the home county of each `dest_id`. Throws a `BuildError` if two POIs, at home in two
 * parts, have one id.
 */
async function putDestIds(
  store: WritableStore,
  summaries: ReadonlyMap<CountyFips, CountySummary>,
  regions: readonly RegionReceipt[],
): Promise<ObjectRef> {
  const ids = [...summaries].flatMap(([county, { destIds }]) =>
    destIds.map((id) => ({ id, county })),
  );
  ids.sort((a, b) => a.id - b.id);
  const twice = ids.find(({ id }, i) => id === ids[i - 1]?.id);
  if (twice) throw await clashIn(store, regions, twice.id);
  return putObject(store, 'dest-ids/all', 'tta', DestDirectory.encode(ids));
}

/** Encodes the counties of a release as a FlatGeobuf layer, each as the union of its blocks. */
function countyMap(
  summaries: ReadonlyMap<CountyFips, CountySummary>,
  counties: Counties,
): Uint8Array {
  return writeFlatGeobuf(
    'counties',
    [
      { name: 'county', type: 'string' },
      { name: 'population', type: 'int64' },
    ],
    Array.from(summaries, ([county, { polygons }]) => ({
      geometry: { polygons },
      properties: { county, population: counties.get(county)!.searched.population },
    })),
  );
}

/** The objects of counties that no region can make by itself. */
interface JoinedObjects {
  readonly joined: ReadonlyMap<CountyFips, JoinedCounty>;
  /** Access classes; empty for a release that has none. */
  readonly classes: Readonly<Record<CountyFips, TileArchive>>;
  /** Empty without weights. */
  readonly weights: Readonly<Record<CountyFips, ObjectRef>>;
  /** Empty without addresses. */
  readonly addresses: Readonly<Record<CountyFips, ObjectRef>>;
  /** Empty without a layer of counties. */
  readonly names: Readonly<Record<CountyFips, string>>;
}

function countyManifests(
  counties: Counties,
  directions: readonly Direction[],
  { joined, classes, weights, addresses, names }: JoinedObjects,
): Record<CountyFips, CountyManifest> {
  const manifests: Record<CountyFips, CountyManifest> = {};
  for (const [county, { searched }] of counties) {
    const { poi_rows, reach_rows, objects, ...facts } = searched;
    const { poi_box, block_bands, 'reach-to': reachTo, access, ...made } = joined.get(county)!;
    const [weight, address] = [weights[county], addresses[county]];
    manifests[county] = {
      ...(county in names && { name: names[county] }),
      ...facts,
      poi_box,
      reach: reachOf(counties, county, directions),
      objects: {
        ...objects,
        ...(reachTo && { 'reach-to': reachTo }),
        ...(access && { access }),
        catchment: made.catchment,
        'poi-map': made['poi-map'],
        ...(weight && { weights: weight }),
        ...(address && { addresses: address }),
      },
      ...(block_bands && { block_bands }),
      ...(county in classes && { access_classes: classes[county] }),
    };
  }
  return manifests;
}

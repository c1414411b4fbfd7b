import { createHash } from 'node:crypto';
import { z } from 'zod';
import { FORMAT_VERSION } from '../../shards/codec/format-version.ts';
import { readOutlines } from '../../shards/fgb/outlines.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { dissolve } from '../../shards/geometry/dissolve.ts';
import { polygonsOfAll } from '../../shards/geometry/geo-json.ts';
import {
  DIRECTIONS,
  type Direction,
  type Latest,
  type Manifest,
  manifestSchema,
} from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { ReleaseRequest, Resources } from '../build-request.ts';
import { fitJoin } from '../memory-budget.ts';
import { requireThisProgram } from '../plan/program-version.ts';
import type { StoredPlan } from '../plan/release-plan.ts';
import type { Progress } from '../progress.ts';
import { noteRelease } from '../publish/note-release.ts';
import { requireObjects } from '../publish/promote-release.ts';
import { publishManifest, putManifest } from '../publish/publish.ts';
import { putObject } from '../publish/put-object.ts';
import { Receipts } from '../receipts/receipts.ts';
import type { RegionCounty, RegionReceipt } from '../receipts/region-receipt.ts';
import { assumptions } from '../routing-parameters.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { buildBlockBands } from '../tiles/build-block-bands.ts';
import { drawTiles } from '../tiles/build-tiles.ts';
import { bytesToDraw } from '../tiles/tile-drawer.ts';
import { components } from './components.ts';
import { countyManifests } from './county-manifests.ts';
import { findHomeCounties, putDestIds } from './home-counties.ts';
import { joinRegions } from './join-regions.ts';
import { PoiObjects } from './poi-objects.ts';
import { putStates } from './state-objects.ts';
import { transposePois, transposeReach } from './transposes.ts';

/** A request to join a plan's regions into a release, and the resources available for it. */
interface JoinRequest extends ReleaseRequest, Resources {
  readonly plan: StoredPlan;
  /**
   * Maximum number of blocks whose matrices are transposed in one go; a larger region is a batch of
   * its own.
   */
  readonly batchBlocks?: number;
}

/** Larger batches read their surroundings less often, but determine the peak memory. */
const BATCH_BLOCKS = 200_000;

const receiptSchema = z.strictObject({ manifest: manifestSchema });

/**
 * Returns the manifest of an earlier, identical join; null unless all objects it names still exist.
 */
export async function findJoined(
  request: JoinRequest,
  receipts: Receipts,
): Promise<Manifest | null> {
  return (await receipts.find('join', keyOf(request), receiptSchema))?.manifest ?? null;
}

/** Returns the manifest of a join that a task of this build has done; null if there is none. */
export async function readJoined(
  request: JoinRequest,
  receipts: Receipts,
): Promise<Manifest | null> {
  return (await receipts.read('join', keyOf(request), receiptSchema))?.manifest ?? null;
}

function keyOf(request: JoinRequest): string {
  const { release, tiles = true, plan } = request;
  const options = [plan.ref.sha256, release, tiles, directionsOf(request)];
  return createHash('sha256').update(JSON.stringify(options)).digest('hex');
}

function directionsOf({ directions }: ReleaseRequest): Direction[] {
  return DIRECTIONS.filter((one) => directions?.includes(one) ?? true);
}

/**
 * Assembles a release from regions, solely from their results in the store: the objects that
 * describe counties as targets (catchments, `reach-to`), directories, states, tiles and the
 * manifest. The regions' own objects stay unchanged. Nothing is published yet.
 */
export function joinRelease(
  request: JoinRequest,
  regions: readonly RegionReceipt[],
  store: WritableStore,
  progress: Progress,
  receipts = new Receipts(store),
): Promise<Manifest> {
  requireThisProgram(request.plan);
  return inScratchFolder(request.scratch, async (scratch) => {
    const joined = await joinRegions(store, request.plan, regions);
    const { sources } = joined;
    const { plan } = request.plan;
    const { modes, taxonomy, weights, addresses } = plan;
    const directions = directionsOf(request);
    const licensed = <Feed extends { readonly sha256: string | null }>(feed: Feed) => {
      return { ...feed, licence: plan.feed_licences[feed.sha256 ?? ''] ?? null };
    };
    const hasTiles = request.tiles !== false;
    const hasWeights = weights.weights.length > 0;
    const searched = Object.fromEntries(
      [...joined.counties].map(([county, { searched }]) => [county, searched]),
    );
    const tileBytes = hasTiles ? bytesToDraw(searched, plan.osm.map) : 0;
    const fit = fitJoin(request, joined.counties.size, tileBytes);
    progress.note(fit.summary);

    const context = { store, receipts, progress, scratch };
    const transposing = {
      ...context,
      counties: joined.counties,
      modes: modes.length,
      batches: batchesOf(regions, request.batchBlocks ?? BATCH_BLOCKS),
      threads: fit.threads,
      memory: fit.transposeMemory,
    };
    const homes = await findHomeCounties(store, joined.destinations, joined.counties);
    const reachTo = directions.includes('to') ? await transposeReach(transposing) : null;
    const poiObjects = new PoiObjects(store, joined, homes);
    const catchments = await transposePois(transposing, homes.countiesReaching, (batch) =>
      poiObjects.put(batch),
    );
    const drawing = { ...context, threads: fit.tileThreads };
    const blockBands = hasTiles
      ? await buildBlockBands({ modes, taxonomy, counties: searched }, drawing)
      : null;

    const joinedObjects = {
      poiObjects,
      catchments,
      reachTo,
      blockBands,
      weights: hasWeights ? weights.counties : {},
      addresses: addresses?.counties ?? {},
    };
    const counties = countyManifests(joined.counties, directions, joinedObjects);
    const states = await putStates(store, joined.states, joined.counties);
    const placesOf = Object.entries(states).map(([state, { objects }]) => [state, objects.places]);
    const baseMap = { features: plan.osm.map, places: Object.fromEntries(placesOf) };
    const poiSources = [
      ...new Set((sources.transit?.feeds ?? []).map(({ agency }) => agency)),
      ...plan.inputs.pois.map(({ name }) => `POI list ${name}`).sort(),
    ];
    const manifest: Manifest = {
      format: FORMAT_VERSION,
      release: request.release,
      modes: [...modes],
      directions,
      components: components(sources),
      assumptions: assumptions(sources.transit, directions, sources.files.elevation !== undefined),
      taxonomy,
      feeds: (sources.transit?.feeds ?? []).map(licensed),
      feeds_left_out: plan.feeds_left_out.map(licensed),
      poi_lists: plan.inputs.pois
        .map(({ name, sha256 }) => ({ file: name, sha256 }))
        .sort((a, b) => (a.file < b.file ? -1 : 1)),
      unmapped_values: plan.osm.unmapped,
      weights: [...weights.weights],
      counties,
      states,
      objects: {
        'dest-ids': await putDestIds(store, joined.destinations, homes),
        'county-map': await putObject(
          store,
          'county-map/all',
          'fgb',
          await countyMap(store, joined.counties),
        ),
        ...(addresses && { 'address-directory': addresses.directory }),
      },
      tiles: hasTiles
        ? await drawTiles({ modes, taxonomy, counties, poiSources, baseMap }, drawing)
        : {},
    };
    await receipts.keep('join', keyOf(request), { manifest });
    return manifest;
  });
}

/**
 * Makes a joined release current, after checking that all objects it names exist, since the store
 * may have lost some in the meantime. Must not run while another build writes. `latest.json` is
 * swapped last.
 */
export async function publishRelease(store: WritableStore, manifest: Manifest): Promise<Latest> {
  await requireObjects(store, `release ${manifest.release}`, manifest);
  const { name } = await putManifest(store, manifest);
  await noteRelease(store, { name, manifest });
  return publishManifest(store, manifest, new Date());
}

/** Divides the counties of consecutive regions into batches of up to the given number of blocks. */
function batchesOf(regions: readonly RegionReceipt[], most: number): CountyFips[][] {
  const batches: CountyFips[][] = [];
  let room = 0;
  for (const { counties } of regions) {
    const blocks = Object.values(counties).reduce((sum, { searched }) => sum + searched.blocks, 0);
    if (batches.length === 0 || blocks > room) {
      batches.push([]);
      room = most;
    }
    batches.at(-1)!.push(...Object.keys(counties));
    room -= blocks;
  }
  return batches;
}

/** Writes the counties of a release as a FlatGeobuf layer, each as the union of its blocks. */
async function countyMap(
  store: Store,
  counties: ReadonlyMap<CountyFips, RegionCounty>,
): Promise<Uint8Array> {
  const features = [];
  for (const [county, { searched }] of counties) {
    const {
      population,
      objects: { blocks },
    } = searched;
    const outlines = readOutlines(blocks.name, await readVerified(store, blocks));
    const areas = Uint32Array.from(outlines.geoids.keys());
    const polygons = polygonsOfAll(dissolve([{ outlines, areas }], 0));
    features.push({
      geometry: { polygons },
      properties: { county, population },
    });
  }
  return writeFlatGeobuf(
    'counties',
    [
      { name: 'county', type: 'string' },
      { name: 'population', type: 'int64' },
    ],
    features,
  );
}

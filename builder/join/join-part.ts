import { z } from 'zod';
import { countedType } from '../../shards/access/access-columns.ts';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { readOutlines } from '../../shards/fgb/outlines.ts';
import { dissolve } from '../../shards/geometry/dissolve.ts';
import { type Polygons, polygonsOfAll } from '../../shards/geometry/geo-json.ts';
import {
  boxSchema,
  countyFipsSchema,
  type Direction,
  objectRefSchema,
  tileArchiveSchema,
} from '../../shards/release/manifest.ts';
import { basesOf } from '../../shards/services.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { CountyFips, DestId } from '../../shards/units.ts';
import type { AccessRequest } from '../access/access-pool.ts';
import { buildAccess } from '../access/build-access.ts';
import { putBuckets } from '../access/build-access-classes.ts';
import type { Resources } from '../build-request.ts';
import { fitJoin } from '../memory-budget.ts';
import { requireThisProgram } from '../plan/program-version.ts';
import type { StoredPlan } from '../plan/release-plan.ts';
import type { Progress } from '../progress.ts';
import { putJson, putObject, readJson } from '../publish/put-object.ts';
import type { ReceiptOf, Receipts, StageContext } from '../receipts/receipts.ts';
import type { Gathered, RegionCounty, RegionReceipt } from '../receipts/region-receipt.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { buildBlockBands } from '../tiles/build-block-bands.ts';
import { findHomes } from './home-counties.ts';
import {
  type Counties,
  type JoinedRegions,
  joinRegions,
  neighbourhoodOf,
  reachOf,
} from './join-regions.ts';
import { boxOfDestinations, poiMap } from './poi-maps.ts';
import { placesWithBlocks, putPlacesByState } from './state-objects.ts';
import { transposePois, transposeReach } from './transposes.ts';

/** Increment when the same regions give other parts. */
const PART_VERSION = 2;

export interface PartOptions {
  readonly tiles: boolean;
  readonly directions: readonly Direction[];
  /** The weights and types to count within reach of every block. */
  readonly access: readonly string[];
}

/** Some whole regions of a plan, whose counties are a part of a release. */
interface PartRequest extends Resources, PartOptions {
  readonly plan: StoredPlan;
  readonly counties: readonly CountyFips[];
}

const joinedCountySchema = z.strictObject({
  poi_box: boxSchema.nullable(),
  'poi-map': objectRefSchema,
  catchment: objectRefSchema,
  'reach-to': objectRefSchema.optional(),
  access: objectRefSchema.optional(),
  block_bands: tileArchiveSchema.optional(),
});
export type JoinedCounty = z.infer<typeof joinedCountySchema>;

/** The objects that describe some counties as targets. */
const partSchema = z.strictObject({
  counties: z.record(countyFipsSchema, joinedCountySchema),
  /** The result of `putBuckets`, in a release with access classes. */
  buckets: objectRefSchema.optional(),
  /** A `CountySummary` for each county. */
  summary: objectRefSchema,
  /** Places with blocks in these counties, by state; see `makeStates`. */
  places: z.record(z.string(), objectRefSchema),
});
export type Part = z.infer<typeof partSchema>;

export interface CountySummary {
  /** Ids of the destinations at home there, ascending. */
  readonly destIds: readonly DestId[];
  /** The union of its blocks. */
  readonly polygons: Polygons;
}
type PartSummary = Readonly<Record<CountyFips, CountySummary>>;

export function partReceipt(
  { searchPlan, plan }: StoredPlan,
  counties: readonly CountyFips[],
  { tiles, directions, access }: PartOptions,
): ReceiptOf<typeof partSchema> {
  const counted = access.length > 0 ? [access, plan.weights] : [];
  const madeOf = [PART_VERSION, searchPlan, counties, tiles, directions, counted];
  return [`part-${counties[0]}`, hashOfJson(madeOf), partSchema];
}

/**
 * Makes the objects that describe some counties as targets, solely from the results of regions in
 * the store: catchments, `reach-to`, maps. Reads only the regions around, so memory and time follow
 * the part and not the release. The result does not depend on how a release is divided into parts.
 */
export async function joinPart(
  request: PartRequest,
  regions: readonly RegionReceipt[],
  store: WritableStore,
  progress: Progress,
  receipts: Receipts,
): Promise<Part> {
  requireThisProgram(request.plan);
  const receipt = partReceipt(request.plan, request.counties, request);
  return receipts.findOrMake(...receipt, () => {
    const joined = joinRegions(request.plan, regions);
    return inScratchFolder(request.scratch, (scratch) =>
      make(request, joined, { store, receipts, progress, scratch }),
    );
  });
}

interface PartContext extends StageContext {
  readonly scratch: string;
}

async function make(
  request: PartRequest,
  joined: JoinedRegions,
  context: PartContext,
): Promise<Part> {
  const { plan, counties: own, tiles, directions, access } = request;
  const { modes, taxonomy } = plan.plan;
  const { store, progress } = context;
  const { counties } = joined;
  const { threads, transposeMemory: memory, summary: fit } = fitJoin(request, own.length, 0);
  progress.note(fit);
  const homes = await findHomes(store, own, await neighbourhoodOf(store, own, joined));
  const bases = basesOf(modes);
  const transposing = { ...context, counties, modes: modes.length, bases, threads, memory };
  const reachTo = directions.includes('to') ? await transposeReach(transposing, own) : null;
  const counts =
    access.length > 0
      ? await buildAccess(accessRequests(request, counties, reachTo), { ...context, threads })
      : null;
  const buckets = counts && tiles ? await countBuckets(request, counties, counts, store) : null;
  const catchments = await transposePois(transposing, homes);
  const searched = Object.fromEntries(own.map((one) => [one, counties.get(one)!.searched]));
  const bands = tiles
    ? await buildBlockBands({ modes, taxonomy, counties: searched }, context)
    : null;
  const made: Record<CountyFips, JoinedCounty> = {};
  const summary: Record<CountyFips, CountySummary> = {};
  for (const [county, { facts }] of homes) {
    made[county] = {
      poi_box: boxOfDestinations(facts),
      'poi-map': await putObject(store, `poi-map/${county}`, 'fgb', poiMap(county, facts)),
      catchment: catchments.get(county)!,
      ...(reachTo && { 'reach-to': reachTo.get(county)! }),
      ...(counts && { access: counts.get(county)! }),
      ...(bands && { block_bands: bands.get(county)! }),
    };
    const destIds = facts.map(({ destId }) => destId);
    summary[county] = { destIds, polygons: await outlineOf(store, counties.get(county)!) };
  }
  return {
    counties: made,
    ...(buckets && { buckets }),
    summary: await putJson(store, `regions/part-${own[0]}`, summary),
    places: await putPlaces(own, joined, store),
  };
}

/** Lists what to count within reach of the part's blocks, by its rows and the weights around. */
function accessRequests(
  { plan: { plan }, counties: own, directions, access }: PartRequest,
  counties: Counties,
  reachTo: ReadonlyMap<CountyFips, ObjectRef> | null,
): AccessRequest[] {
  const { modes, taxonomy, weights } = plan;
  const leaves = new Taxonomy(taxonomy.types);
  const types = access.flatMap((of) => {
    const type = countedType(of);
    return type === null ? [] : [leaves.leavesOf(type)];
  });
  const countedOf = (county: CountyFips) => {
    const { index } = counties.get(county)!.searched.objects;
    const counted = weights.counties[county];
    return { index, ...(counted && { weights: counted }) };
  };
  return own.map((county) => {
    const { 'reach-from': from, pois } = counties.get(county)!.searched.objects;
    const to = reachTo?.get(county);
    const reached = reachOf(counties, county, directions);
    const around = [...new Set([...reached.from, ...reached.to])].filter((one) =>
      counties.has(one),
    );
    return {
      county,
      modes,
      access,
      reach: [['from', from] as const, ...(to ? [['to', to] as const] : [])],
      counties: Object.fromEntries(around.sort().map((one) => [one, countedOf(one)])),
      ...(types.length > 0 && { pois, types }),
    };
  });
}

function countBuckets(
  { plan, counties: own, directions, access }: PartRequest,
  counties: Counties,
  counts: ReadonlyMap<CountyFips, ObjectRef>,
  store: WritableStore,
): Promise<ObjectRef> {
  const counted = Array.from(counts, ([county, access]) => {
    const { index } = counties.get(county)!.searched.objects;
    return [county, { index, access }] as const;
  });
  const ofPart = { modes: plan.plan.modes, directions, access, counties: new Map(counted) };
  return putBuckets(store, `regions/access-buckets-${own[0]}`, ofPart);
}

async function putPlaces(
  own: readonly CountyFips[],
  { regions, counties }: JoinedRegions,
  store: WritableStore,
): Promise<Part['places']> {
  const places = [];
  for (const { counties, gathered } of regions) {
    if (!own.some((one) => one in counties)) continue;
    places.push(...(await readJson<Gathered>(store, gathered)).censusPlaces);
  }
  const ownCounties = own.map((county) => counties.get(county)!);
  return putPlacesByState(store, await placesWithBlocks(store, places, ownCounties));
}

/** Reads the facts that the join needs about the counties of a part. */
export function readSummary(store: Store, { summary }: Part): Promise<PartSummary> {
  return readJson(store, summary);
}

async function outlineOf(store: Store, { searched }: RegionCounty): Promise<Polygons> {
  const { blocks } = searched.objects;
  const outlines = readOutlines(blocks.name, await readVerified(store, blocks));
  const areas = Uint32Array.from(outlines.geoids.keys());
  return polygonsOfAll(dissolve([{ outlines, areas }], 0));
}

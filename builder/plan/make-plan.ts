import { z } from 'zod';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { boxAroundBoth, bufferBox } from '../../shards/geometry/wgs84.ts';
import { furtherModesOf, furtherWalksOf, isTransit, type Mode } from '../../shards/modes.ts';
import { counted } from '../../shards/number-words.ts';
import {
  type FeedFacts,
  type LeftOutFeed,
  objectRefSchema,
} from '../../shards/release/manifest.ts';
import {
  BASE_PERCENTILE,
  BASE_WINDOW,
  type DepartureWindow,
  transitService,
} from '../../shards/services.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { BoundingBox, DestTypeId } from '../../shards/units.ts';
import { type InputPaths, PATH_KINDS, type PlanRequest, pathsIn } from '../build-request.ts';
import { countyNames, isCountyLayer } from '../census/county-layer.ts';
import type { Destination } from '../destinations/destination.ts';
import { publicTaxonomy, TAXONOMY_VERSION } from '../destinations/taxonomy.ts';
import { BuildError } from '../errors.ts';
import { COARSE_CELLS, FINE_CELLS } from '../geo/cell-set.ts';
import { dayNumber, dayOfMillis, isoDate } from '../gtfs/service-time.ts';
import { dateOfPbf } from '../osm/pbf.ts';
import { writeAddresses } from '../prepare/addresses.ts';
import { AROUND_THE_MAP } from '../prepare/base-map-cells.ts';
import { BlockTables, writeBlocks } from '../prepare/blocks.ts';
import { type PreparedFeed, writeFeeds } from '../prepare/feeds.ts';
import { writeHeights } from '../prepare/heights.ts';
import { writePlaces } from '../prepare/places.ts';
import { poisWithin, writePois } from '../prepare/pois.ts';
import type { JobResult, PreparationByJobs, PreparationJob } from '../prepare/preparation.ts';
import { streetAreaOf } from '../prepare/read-osm-cells.ts';
import { writeWeights } from '../prepare/weights.ts';
import { writeOsmCells } from '../prepare/write-osm-cells.ts';
import type { Progress } from '../progress.ts';
import { putJson } from '../publish/put-object.ts';
import { objectRefsIn, type Receipts } from '../receipts/receipts.ts';
import {
  fastestOf,
  ownChoice,
  type Routing,
  RULE_NAMES,
  type RuleOfR5,
  rideMetres,
  routingOf,
  USUAL_UNKNOWN,
  type WheelchairUnknown,
} from '../routing-parameters.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { acceptFeeds, withoutLicence } from '../transit/accept-feeds.ts';
import {
  type DatedFeeds,
  type DayRequest,
  dateFeeds,
  type OutlinedFeeds,
  onWeekend,
  outlineFeeds,
} from '../transit/date-feeds.ts';
import { CountyEstimates } from './county-estimate.ts';
import {
  describeInput,
  identityOf,
  type LocalInput,
  type PathOf,
  type PlannedInput,
  requireUnchanged,
} from './planned-input.ts';
import { programVersion } from './program-version.ts';
import { type ReleasePlan, readPlan, type StoredPlan, storedPlan } from './release-plan.ts';

type Inputs = Readonly<Record<(typeof PATH_KINDS)[number], readonly PlannedInput[]>>;

/** Runs a preparation job on its inputs; see `PreparationByJobs`. */
export type RunJob = (
  job: PreparationJob,
  inputs: readonly LocalInput[],
  at: (done: number) => void,
) => Promise<JobResult>;

/** A plan and its preparations. A plan that lacks any preparation is created again. */
const receiptSchema = z.strictObject({
  plan: objectRefSchema,
  prepared: z.array(objectRefSchema),
});

/**
 * Freezes what the units of a release must have in common, and puts it into the store, together
 * with the preparations for all of them. The same request for the same files by the same program
 * yields the same plan, which is not created again. Neither are preparations whose own files are
 * the same.
 */
export async function makePlan(
  request: PlanRequest & { readonly scratch?: string },
  store: WritableStore,
  progress: Progress,
  receipts: Receipts,
  runJob: RunJob,
): Promise<StoredPlan> {
  const { local, ...described } = await describeInputs(request, progress);
  const { counties, gtfs = [], serviceDate: asked, partialWeights = false } = request;
  const { catalogued = NONE_CATALOGUED, leaveOutUnlicensed = false, notFetched = [] } = request;
  const rulesOfR5 = rulesIn(request);
  const terms = gtfs.map((feed) => catalogued.get(feed) ?? null);
  const { windows = [], percentiles = {}, furtherModes = [] } = request;
  const options = [
    asked ?? null,
    partialWeights,
    leaveOutUnlicensed,
    terms,
    notFetched,
    rulesOfR5,
    windows,
    percentiles,
    furtherModesOf(furtherModes),
    unknownIn(request) ?? null,
    ownChoice(request.routing ?? {}),
  ];
  const key = keyOf([described.inputs, [...counties].sort(), ...options]);
  const kept = await receipts.find('plan', key, receiptSchema);
  if (kept) {
    const stored = await readPlan(store, kept.plan);
    const { feeds, feeds_left_out } = stored.plan;
    if (gtfs.length > 0) acceptFeeds(feeds, feeds_left_out, request, progress);
    return stored;
  }
  const run: PreparationByJobs['run'] = async (job, at) => {
    // Other paths are those of scratch files.
    const files = job.paths.map(async (path) => local.get(path) ?? describeInput(path));
    return runJob(job, await Promise.all(files), at);
  };
  const plan = await inScratchFolder(request.scratch, (scratch) => {
    const checking: PlanContext['receipts'] = {
      findOrMake: (stage, key, schema, make) =>
        receipts.findOrMake(stage, key, schema, async () => {
          const made = await make();
          await requireUnchanged(local.values());
          return made;
        }),
    };
    const context = { store, receipts: checking, scratch, progress, run };
    return prepareAll(request, described, context);
  });
  const [first] = Object.keys(plan.counties);
  const ref = await putJson(store, `plans/${first}`, plan);
  const { blocks, osm, elevation, pois, places, feeds, weights, addresses } = plan;
  const made = [blocks, osm, elevation, pois, places, feeds, plan.windows, weights, addresses];
  const prepared = [...objectRefsIn(made)];
  await requireUnchanged(local.values());
  await receipts.keep('plan', key, { plan: ref, prepared });
  return storedPlan(ref, plan);
}

/** Computes a key from the inputs of a result and the version of the program. */
export function keyOf(madeOf: readonly unknown[]): string {
  return hashOfJson([programVersion(), madeOf]);
}

/** The rules of R5 that a request asks for, each once, in the same order whatever the request's. */
function rulesIn({ rulesOfR5 = [] }: PlanRequest): RuleOfR5[] {
  return RULE_NAMES.filter((rule) => rulesOfR5.includes(rule));
}

/** How trips and stops count on which feeds state nothing; undefined without step-free transit. */
function unknownIn({
  furtherModes = [],
  wheelchairUnknown = USUAL_UNKNOWN,
}: PlanRequest): WheelchairUnknown | undefined {
  return furtherModes.includes('transit_step_free') ? wheelchairUnknown : undefined;
}

const NONE_CATALOGUED: NonNullable<PlanRequest['catalogued']> = new Map();

interface DescribedInputs {
  readonly inputs: Inputs;
  readonly pathOf: PathOf;
  /** Returns the input at a path of the request; undefined for other paths. */
  readonly inputAt: (path: string) => PlannedInput | undefined;
}

/** Describes the inputs, each kind in an order that does not depend on their paths. */
async function describeInputs(
  request: InputPaths,
  progress: Progress,
): Promise<DescribedInputs & { readonly local: ReadonlyMap<string, LocalInput> }> {
  const stage = progress.start('inputs', pathsIn(request).length, 'inputs');
  const paths = new Map<string, string>();
  const local = new Map<string, LocalInput>();
  const described: [string, PlannedInput[]][] = [];
  for (const kind of PATH_KINDS) {
    const inputs: PlannedInput[] = [];
    for (const path of request[kind] ?? []) {
      const described = await describeInput(path);
      local.set(path, described);
      paths.set(identityOf(described.input), path);
      inputs.push(described.input);
      stage.at(paths.size);
    }
    // Feeds keep the given order, which the manifest uses too.
    if (kind !== 'gtfs') {
      inputs.sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
    }
    described.push([kind, inputs]);
  }
  stage.finish();
  return {
    inputs: Object.fromEntries(described) as unknown as Inputs,
    pathOf: (input) => paths.get(identityOf(input))!,
    inputAt: (path) => local.get(path)?.input,
    local,
  };
}

interface PlanContext extends Omit<PreparationByJobs, 'keyOf'> {
  readonly scratch: string;
}

async function prepareAll(
  request: PlanRequest,
  { inputs, pathOf, inputAt }: DescribedInputs,
  context: PlanContext,
): Promise<ReleasePlan> {
  const { store } = context;
  const of = (files: readonly PlannedInput[]) => ({
    ...context,
    paths: files.map(pathOf),
    keyOf: (madeOf: readonly unknown[]) => keyOf([files, madeOf]),
  });
  const blocks = await writeBlocks({
    ...of([...inputs.blocks, ...inputs.population]),
    paths: inputs.blocks.map(pathOf),
    populations: inputs.population.map(pathOf),
  });
  const tables = new BlockTables(store, blocks);
  const { counties, boxes } = await estimateCounties(request, tables);
  const origins = { blocks: tables, counties: Object.keys(counties).sort() };
  const weights = await writeWeights({
    ...of(inputs.weights),
    ...origins,
    mayBePartial: request.partialWeights ?? false,
  });
  const addresses = await writeAddresses({ ...of(inputs.addresses), ...origins });
  const box = boxes.reduce(boxAroundBoth);
  const hasHills = inputs.elevation.length > 0;
  const routing = routingOf(request.routing ?? {});
  const isLayer = await Promise.all(inputs.places.map(pathOf).map(isCountyLayer));
  const unknown = unknownIn(request);
  const layers = inputs.places.filter((_, i) => isLayer[i]);
  const placeFiles = inputs.places.filter((_, i) => !isLayer[i]);
  const places = await writePlaces({ ...of(placeFiles), area: box });
  const terms = termsOf(request, (feed) => inputAt(feed)!);
  const { feeds, prepared, windows } = await readFeeds(request, terms, { ...context, keyOf }, box);
  const read = [prepared, ...windows.map((window) => window.feeds)].flat();
  const area = reachable(box, read, hasHills, routing);
  const pois = await writePois({ ...of(inputs.pois), area });
  const mapped = boxes.map((county) => bufferBox(county, AROUND_THE_MAP));
  const osm = await writeOsmCells({ ...of(inputs.osm), area, mapped });
  const streetCells = Object.keys(osm.cells).map(Number);
  const elevation = await writeHeights({ ...of(inputs.elevation), cells: streetCells });
  const listed = feeds
    ? null
    : await typesIn(poisWithin(store, pois, around(box, hasHills, routing)));
  const taxonomy = publicTaxonomy((type) => listed === null || listed.has(type));
  return {
    program: programVersion(),
    modes: servicesOf(request, feeds !== null),
    taxonomy: { version: TAXONOMY_VERSION, types: [...new Taxonomy(taxonomy).types] },
    routing: ownChoice(request.routing ?? {}),
    rules_of_r5: rulesIn(request),
    ...(feeds && unknown && { wheelchair_unknown: unknown }),
    service_date: feeds && isoDate(feeds.clock.common),
    inputs: { ...inputs, places: placeFiles, county_layers: layers },
    blocks,
    osm,
    elevation,
    pois,
    places,
    feeds: [...prepared],
    feeds_left_out: [...(feeds?.leftOut ?? [])],
    windows: [...windows],
    feed_licences: terms.licences,
    weights,
    addresses,
    county_names: await countyNames(layers.map(pathOf), origins.counties),
    counties,
  };
}

/** The origin counties, and the box around the blocks of each. */
interface SketchedCounties {
  readonly counties: ReleasePlan['counties'];
  readonly boxes: readonly BoundingBox[];
}

async function estimateCounties(
  { blocks: paths, counties: asked }: PlanRequest,
  tables: BlockTables,
): Promise<SketchedCounties> {
  const own = new Set(asked.length > 0 ? asked : tables.counties);
  const missing = [...own].sort().find((county) => !tables.counties.includes(county));
  if (missing !== undefined) {
    throw new BuildError(
      `${paths.join(', ')}: no blocks in county ${missing}; counties in the file: ${tables.counties.join(', ')}`,
    );
  }
  const estimates = new CountyEstimates();
  const boxes: BoundingBox[] = [];
  for (const county of tables.counties) {
    const isOwn = own.has(county);
    for (const block of await tables.points(county)) estimates.add(block, isOwn);
    if (isOwn) boxes.push(tables.boxOf(county));
  }
  return { counties: estimates.finish(), boxes };
}

interface FeedTerms {
  /** Those that are known, by the `fingerprint` of the feed. */
  readonly licences: ReleasePlan['feed_licences'];
  /** Paths of the feeds to read. */
  readonly wanted: readonly string[];
  readonly unwanted: readonly LeftOutFeed[];
}

function termsOf(request: PlanRequest, inputAt: (feed: string) => PlannedInput): FeedTerms {
  const { gtfs = [], catalogued = NONE_CATALOGUED, leaveOutUnlicensed = false } = request;
  const licences: Record<string, string> = {};
  for (const feed of gtfs) {
    const licence = catalogued.get(feed)?.licence;
    if (licence) licences[inputAt(feed).sha256] ??= licence;
  }
  const isWanted = (feed: string) => !leaveOutUnlicensed || inputAt(feed).sha256 in licences;
  const unwanted = gtfs
    .filter((feed) => !isWanted(feed))
    .map((feed) => withoutLicence(feed, inputAt(feed).sha256, catalogued.get(feed)?.publisher));
  const missing = gtfs.length > 0 ? (request.notFetched ?? []) : [];
  return { licences, wanted: gtfs.filter(isWanted), unwanted: [...missing, ...unwanted] };
}

interface ReleaseFeeds {
  /** Null without feeds. */
  readonly feeds: DatedFeeds | null;
  readonly prepared: readonly PreparedFeed[];
  /** The feeds of windows besides `am`. */
  readonly windows: ReleasePlan['windows'];
}

/** The services of a release, in the order in which they are stored. */
function servicesOf(
  { windows = [], percentiles = {}, furtherModes = [] }: PlanRequest,
  hasTransit: boolean,
): string[] {
  const further = furtherModesOf(furtherModes);
  if (!hasTransit) return ['walk', 'bike', ...furtherWalksOf(further)];
  const timings = [BASE_WINDOW, ...windows].flatMap(({ name }) => {
    const others = (percentiles[name] ?? []).filter((one) => one !== BASE_PERCENTILE);
    const all = [BASE_PERCENTILE, ...new Set(others.toSorted((a, b) => a - b))];
    return all.map((percentile) => ({ departure: name, percentile }));
  });
  const services = (mode: Mode) =>
    isTransit(mode) ? timings.map((timing) => transitService(mode, timing)) : [mode];
  return (['walk', 'bike', 'transit', ...further] as const).flatMap(services);
}

/**
 * Reads the feeds of a request for their days. Days are chosen anew without feeds that turn out to
 * be unusable, so that these have no say in them.
 */
async function readFeeds(
  request: PlanRequest,
  { wanted, unwanted }: FeedTerms,
  preparation: PreparationByJobs,
  area: BoundingBox,
): Promise<ReleaseFeeds> {
  const { progress } = preparation;
  const unknown = unknownIn(request);
  if (wanted.length + unwanted.length === 0) return { feeds: null, prepared: [], windows: [] };
  const readable = await outlineFeeds(wanted, await dayOf(request), area);
  let outlined = { ...readable, leftOut: [...unwanted, ...readable.leftOut] };
  for (;;) {
    const feeds = await dateFeeds(outlined);
    const { prepared, unusable } = await writeFeeds(feeds, preparation, unknown);
    if (unusable.size === 0) {
      for (const line of feeds.notes) progress.note(line);
      acceptFeeds(prepared, feeds.leftOut, request, progress);
      const windows: ReleasePlan['windows'] = [];
      for (const window of request.windows ?? []) {
        windows.push(await readWindow(window, outlined, feeds, preparation, unknown));
      }
      return { feeds, prepared, windows };
    }
    outlined = {
      ...outlined,
      feeds: outlined.feeds.filter(({ path }) => !unusable.has(path)),
      leftOut: [...outlined.leftOut, ...unusable.values()],
    };
  }
}

/** Reads feeds for a further window of departures, given those of the first one. */
async function readWindow(
  window: DepartureWindow,
  outlined: OutlinedFeeds,
  { clock }: DatedFeeds,
  preparation: PreparationByJobs,
  unknown: WheelchairUnknown | undefined,
): Promise<ReleasePlan['windows'][number]> {
  const { name, opens, departures, day } = window;
  const common = dayNumber(clock.common);
  const on = day === 'weekday' ? outlined : onWeekend(outlined, day, common);
  if (on.feeds.length === 0) {
    const weekday = `${day[0].toUpperCase()}${day.slice(1)}`;
    throw new BuildError(`window ${name}: no trip runs on any ${weekday}; leave it out`);
  }
  const dated = await dateFeeds(on, window);
  for (const line of dated.notes) preparation.progress.note(`${name}: ${line}`);
  const { prepared, unusable } = await writeFeeds(dated, preparation, unknown);
  for (const { file, reason } of unusable.values()) {
    preparation.progress.note(`WARNING: ${file}: not in the window ${name}: ${reason}`);
  }
  noteEmptyFeeds(name, factsOf(prepared), preparation.progress);
  const service_date = isoDate(dated.clock.common);
  return { name, opens, departures, day, service_date, feeds: [...prepared] };
}

const NAMED_FEEDS = 5;

/** Warns of the feeds without a trip in a window, which for their riders is one of walking. */
function noteEmptyFeeds(window: string, feeds: readonly FeedFacts[], progress: Progress): void {
  const empty = feeds.filter(({ trips_in_window }) => trips_in_window === 0);
  if (empty.length === 0) return;
  const names = empty.slice(0, NAMED_FEEDS).map(({ file }) => file);
  progress.note(
    `WARNING: window ${window}: ${empty.length} of ${counted(feeds.length, 'feed')} without a trip in it: ${names.join(', ')}${empty.length > NAMED_FEEDS ? ', …' : ''}`,
  );
}

async function dayOf({ osm, serviceDate }: PlanRequest): Promise<DayRequest> {
  if (serviceDate !== undefined) {
    const asked = dayNumber(serviceDate.replaceAll('-', ''));
    return { asked, near: asked };
  }
  return { asked: null, near: dayOfMillis(Math.max(...(await Promise.all(osm.map(dateOfPbf))))) };
}

function factsOf(feeds: readonly PreparedFeed[]): FeedFacts[] {
  return feeds.map(({ facts }) => facts);
}

/** Returns the area within reach of a box without transit. */
function around(box: BoundingBox, hasHills: boolean, routing: Routing): BoundingBox {
  return bufferBox(box, rideMetres(routing.maxReachMinutes, fastestOf(hasHills), routing));
}

/**
 * Returns the area that contains the streets of every unit, given the box of all blocks. Feeds may
 * lead to any of their stops, and trips continue from there.
 */
function reachable(
  box: BoundingBox,
  feeds: readonly PreparedFeed[],
  hasHills: boolean,
  routing: Routing,
): BoundingBox {
  const byStreet = around(box, hasHills, routing);
  const stops = feeds.flatMap(({ cells }) =>
    cells.map((cell) => around(COARSE_CELLS.boxOf(cell), hasHills, routing)),
  );
  return FINE_CELLS.boxAround(
    streetAreaOf(FINE_CELLS.boxAround(stops.reduce(boxAroundBoth, byStreet))),
  );
}

/** Finds the types that user lists have, including types that otherwise only feeds provide. */
async function typesIn(pois: AsyncIterable<Destination>): Promise<ReadonlySet<DestTypeId>> {
  const found = new Set<DestTypeId>();
  for await (const { types } of pois) for (const type of types) found.add(type);
  return found;
}

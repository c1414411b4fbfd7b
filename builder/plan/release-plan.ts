import { z } from 'zod';
import { hashOfJson, parseJson, parseWith } from '../../shards/codec/json-object.ts';
import {
  countyFipsSchema,
  leftOutFeedSchema,
  servicesSchema,
  windowSchema,
} from '../../shards/release/manifest.ts';
import { BASE_WINDOW, percentilesOf } from '../../shards/services.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import { taxonomySchema } from '../../shards/taxonomy.ts';
import { preparedAddressesSchema } from '../prepare/addresses.ts';
import { preparedBlocksSchema } from '../prepare/blocks.ts';
import { preparedCellsSchema } from '../prepare/cells.ts';
import { type PreparedFeed, preparedFeedSchema } from '../prepare/feeds.ts';
import { preparedOsmSchema } from '../prepare/read-osm-cells.ts';
import { preparedWeightsSchema } from '../prepare/weights.ts';
import { type RoutingChoice, RULE_NAMES, WHEELCHAIR_UNKNOWN } from '../routing-parameters.ts';
import type { SearchedWindow } from '../transit/transit-region.ts';
import { countyEstimateSchema } from './county-estimate.ts';
import { plannedInputSchema } from './planned-input.ts';

const inputs = z.array(plannedInputSchema).readonly();

/** The common data of all parts of a release, independent of who builds them, where and when. */
const releasePlanSchema = z.strictObject({
  /** `programVersion` of the program that created the plan, the only one that can build it. */
  program: z.string(),
  /** The services, as in a manifest. */
  modes: servicesSchema,
  taxonomy: taxonomySchema,
  /** The parameters that the build chose, where they are not the usual ones. */
  routing: z.strictObject({
    walk_speed_kmh: z.number().optional(),
    bike_speed_kmh: z.number().optional(),
    bike_max_traffic_stress: z.int().optional(),
    transit_board_slack_s: z.int().optional(),
    transit_max_walk_leg_min: z.int().optional(),
    transit_max_transfer_walk_m: z.int().optional(),
  } satisfies Record<keyof RoutingChoice, z.ZodType>),
  rules_of_r5: z.array(z.enum(RULE_NAMES)),
  /** How trips and stops count on which feeds state nothing; absent without step-free transit. */
  wheelchair_unknown: z.enum(WHEELCHAIR_UNKNOWN).optional(),
  /** The nominal day of the release; null without feeds. */
  service_date: z.iso.date().nullable(),
  inputs: z.strictObject({
    osm: inputs,
    blocks: inputs,
    population: inputs,
    places: inputs,
    county_layers: inputs,
    pois: inputs,
    elevation: inputs,
    weights: inputs,
    addresses: inputs,
    gtfs: inputs,
  }),
  /** The blocks of all given counties; those outside the origin counties are targets only. */
  blocks: preparedBlocksSchema,
  /** Contents of the OSM files within reach of the origin counties. */
  osm: preparedOsmSchema,
  /** The ground heights where streets are; empty without elevation files. */
  elevation: preparedCellsSchema,
  /** Contents of POI lists within reach of the origin counties. */
  pois: preparedCellsSchema,
  /** The census places around the origin blocks. */
  places: preparedCellsSchema,
  /** The feeds that are read, in the order of the inputs. */
  feeds: z.array(preparedFeedSchema),
  feeds_left_out: z.array(leftOutFeedSchema),
  /** The windows of departures besides that of `feeds`, and the feeds that each reads. */
  windows: z.array(
    windowSchema
      .pick({ name: true, opens: true, departures: true, day: true, service_date: true })
      .extend({ feeds: z.array(preparedFeedSchema) }),
  ),
  /** The licences of feeds that have one, by their `fingerprint`. */
  feed_licences: z.record(z.string(), z.string()),
  /** The weights of the origin counties: final objects of the release. */
  weights: preparedWeightsSchema,
  /** The addresses of the origin counties: final objects of the release; null without them. */
  addresses: preparedAddressesSchema.nullable(),
  /** The names of origin counties, of those that a layer of counties names. */
  county_names: z.record(countyFipsSchema, z.string()),
  /** The origin counties, ascending. */
  counties: z.record(countyFipsSchema, countyEstimateSchema),
});
export type ReleasePlan = z.infer<typeof releasePlanSchema>;

/** A window of departures of a plan, and the feeds that are read for it. */
interface PlannedWindow extends SearchedWindow {
  readonly service_date: string;
  readonly feeds: readonly PreparedFeed[];
}

/**
 * Returns the windows of departures of a plan with the percentiles of their services, in the order
 * in which these are stored; none in a plan without transit.
 */
export function searchedWindows({
  modes,
  service_date,
  feeds,
  windows,
}: ReleasePlan): PlannedWindow[] {
  if (service_date === null) return [];
  return [{ ...BASE_WINDOW, service_date, feeds }, ...windows].map((window) => ({
    ...window,
    percentiles: percentilesOf(modes, window.name),
  }));
}

export interface StoredPlan {
  readonly ref: ObjectRef;
  readonly plan: ReleasePlan;
  /**
   * The SHA-256 of the plan without weights, addresses, names of counties and licences. Regions do
   * not depend on these, so their receipts identify the plan by this hash, and a change of them
   * repeats no search.
   */
  readonly searchPlan: string;
}

export function storedPlan(ref: ObjectRef, plan: ReleasePlan): StoredPlan {
  const { weights: _, addresses: __, county_names: ___, feed_licences: ____, ...searched } = plan;
  const inputs = { ...plan.inputs, weights: [], addresses: [], county_layers: [] };
  return { ref, plan, searchPlan: hashOfJson({ ...searched, inputs }) };
}

/** Reads a plan from a store; throws a `ShardError` if the object is damaged. */
export async function readPlan(store: Store, ref: ObjectRef): Promise<StoredPlan> {
  const read = parseJson(ref.name, await readVerified(store, ref));
  return storedPlan(ref, parseWith(ref.name, read, releasePlanSchema));
}

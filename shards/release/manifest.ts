import { z } from 'zod';
import { COUNTED_NAME } from '../access/access-columns.ts';
import { COUNTY_FIPS } from '../geoid.ts';
import { parseService, WINDOW_DAYS, WINDOW_NAME } from '../services.ts';
import { FORMAT_VERSION } from '../store/envelope.ts';
import type { ObjectRef } from '../store/store.ts';
import { taxonomySchema } from '../taxonomy.ts';
import { weightSchema } from '../weights/weight.ts';

export const releaseSchema = z.string().regex(/^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/);

export const countyFipsSchema = z.string().regex(COUNTY_FIPS);

export const objectRefSchema = z.strictObject({
  name: z.string().regex(/^[a-z-]+\/[0-9A-Za-z._-]+$/),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/**
 * Objects that each county has, by kind, which is also the folder in the store. A release may lack
 * `reach-to`, `access`, `transit`, `transit-step-free`, `weights` and `addresses`.
 */
export const COUNTY_OBJECT_KINDS = [
  'index',
  'nearest',
  'nth-nearest',
  'pois',
  'blocks',
  'reach-from',
  'reach-to',
  'access',
  'transit',
  'transit-step-free',
  'catchment',
  'poi-map',
  'weights',
  'addresses',
] as const;
export type CountyObjectKind = (typeof COUNTY_OBJECT_KINDS)[number];

/** Directions of block-to-block times: from a block, or to it. Every release has `from`. */
export const DIRECTIONS = ['from', 'to'] as const;
export type Direction = (typeof DIRECTIONS)[number];

const serviceSchema = z.string().refine((name) => parseService(name) !== undefined, {
  error: 'is not the name of a service',
});
export const servicesSchema = z.array(serviceSchema).min(1);

/** Objects that each state has, for its census places that have blocks in the release. */
export const STATE_OBJECT_KINDS = ['places', 'place-map'] as const;

/** Kinds of objects of which a release has one each; it may lack `address-directory`. */
export const RELEASE_OBJECT_KINDS = ['dest-ids', 'county-map', 'address-directory'] as const;

export const boxSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]);

/**
 * An object that anyone may read by range, and its sidecar of checksums: see `checked-pages.ts`.
 */
export const tileArchiveSchema = z.strictObject({
  archive: objectRefSchema,
  sums: objectRefSchema,
});
export type TileArchive = z.infer<typeof tileArchiveSchema>;

export const countySchema = z.strictObject({
  /** Name with the kind of county, such as `Orleans Parish`; absent if the build was given none. */
  name: z.string().min(1).optional(),
  /** Blocks in the county: rows of its index and of its nearest object. */
  blocks: z.int().min(0),
  population: z.int().min(0),
  /** Blocks that could be routed by at least one mode. */
  routable_blocks: z.int().min(0),
  /** West, south, east and north edge of the county's block polygons, in degrees. */
  block_box: boxSchema,
  /** Edges of the POIs that have this home county, as in `block_box`; null if there are none. */
  poi_box: boxSchema.nullable(),
  /**
   * Counties of the blocks in this county's reach objects, including the county itself; empty
   * without the object. Rows extend past the counties of the release, so `from` may name others.
   */
  reach: z.strictObject({
    from: z.array(countyFipsSchema),
    to: z.array(countyFipsSchema),
  }),
  objects: z.strictObject(objectsOf(COUNTY_OBJECT_KINDS)).extend({
    'reach-to': objectRefSchema.optional(),
    access: objectRefSchema.optional(),
    transit: objectRefSchema.optional(),
    'transit-step-free': objectRefSchema.optional(),
    weights: objectRefSchema.optional(),
    addresses: objectRefSchema.optional(),
  }),
  /** The band of each block by mode and leaf type; absent where the release has no tiles. */
  block_bands: tileArchiveSchema.optional(),
  /** The class of each block by every count of `access`; absent without such counts or tiles. */
  access_classes: tileArchiveSchema.optional(),
});
export type CountyManifest = z.infer<typeof countySchema>;

export const stateSchema = z.strictObject({
  places: z.int().min(0),
  objects: z.strictObject(objectsOf(STATE_OBJECT_KINDS)),
});
export type StateManifest = z.infer<typeof stateSchema>;

function objectsOf<K extends string>(kinds: readonly K[]) {
  return Object.fromEntries(kinds.map((kind) => [kind, objectRefSchema])) as Record<
    K,
    typeof objectRefSchema
  >;
}

/**
 * Numbers of stops and trips of a feed in a window: all, those of which it states whether they are
 * usable in a wheelchair, and those that are not.
 */
const wheelchairSchema = z.strictObject({
  stops: z.int().min(0),
  stops_stated: z.int().min(0),
  stops_refused: z.int().min(0),
  trips: z.int().min(0),
  trips_stated: z.int().min(0),
  trips_refused: z.int().min(0),
});
export type WheelchairFacts = z.infer<typeof wheelchairSchema>;

export const feedSchema = z.strictObject({
  agency: z.string(),
  file: z.string(),
  /** Id in `feed_info.txt`; null if absent. */
  feed_id: z.string().nullable(),
  /** `feed_publisher_name`; null if absent. */
  publisher: z.string().nullable().default(null),
  sha256: z.string(),
  time_zone: z.string(),
  /** The service day that was read. */
  service_date: z.iso.date(),
  /** Whether `service_date` is the common service day of the release. */
  runs_on_common_day: z.boolean(),
  /**
   * Kinds of ordinary weekdays, told apart by the service that runs: first the kind that was read,
   * then the most common others. For each kind, its nearest day, the number of its days, and the
   * trips on such a day.
   */
  weekday_patterns: z.array(
    z.strictObject({ date: z.iso.date(), weekdays: z.int().min(1), trips: z.int().min(0) }),
  ),
  /** Trips on its best weekdays, or days of a weekend like its own, for two weeks. */
  best_weekday_trips: z.int().min(0).default(0),
  trips_in_window: z.int().min(0),
  /**
   * Trips with a stop that requires phoning the agency beforehand (`pickup_type` or `drop_off_type`
   * 2). These trips count as scheduled.
   */
  trips_by_phone: z.int().min(0).default(0),
  /** Only in a release with step-free transit. */
  wheelchair: wheelchairSchema.optional(),
  /** Rows that could not be used unchanged, by file and reason. */
  problems: z.array(
    z.strictObject({
      file: z.string(),
      problem: z.string(),
      rows: z.int(),
      first_line: z.int(),
    }),
  ),
});
/**
 * The problems of blank stop times, which feeds may have between the times that a trip needs, by
 * the measure along which they are filled in.
 */
export const INTERPOLATED = {
  distance: 'no time; interpolated along shape_dist_traveled',
  shape: 'no time; interpolated along the shape',
  straight: 'no time; interpolated by straight distances between stops',
} as const;
export type FeedFacts = z.infer<typeof feedSchema>;

/** A GTFS feed that was given but is not used. */
export const leftOutFeedSchema = z.strictObject({
  file: z.string(),
  /** Null if it was not downloaded. */
  sha256: z.string().nullable(),
  /** The publisher or first agency, where the feed could be read. */
  publisher: z.string().nullable(),
  /** Its trips, whatever their days; null if they could not be counted. */
  trips: z.int().min(0).nullable().default(null),
  reason: z.string(),
  /**
   * Whether the release lacks the feed's service; false if another feed has it, if the feed has
   * none on weekdays, or if it is left out on request.
   */
  is_lost: z.boolean(),
});
export type LeftOutFeed = z.infer<typeof leftOutFeedSchema>;

/** A window of departures of a release that has several services by transit. */
export const windowSchema = z.strictObject({
  name: z.string().regex(WINDOW_NAME),
  /** Minutes of the local day at which it opens, and its departures, a minute apart. */
  opens: z.int().min(0),
  departures: z.int().min(1),
  day: z.enum(WINDOW_DAYS),
  /** The common service day of the feeds. */
  service_date: z.iso.date(),
  percentiles: z.array(z.int()).min(1),
  feeds: z.array(
    feedSchema.pick({
      agency: true,
      file: true,
      sha256: true,
      service_date: true,
      runs_on_common_day: true,
      trips_in_window: true,
    }),
  ),
});
export type ReleaseWindow = z.infer<typeof windowSchema>;

/** The licence that a feed's catalogue states, as a rule by its URL; null if none is known. */
const licence = z.string().nullable().default(null);

/**
 * An OpenStreetMap tag value that maps to no destination type, and the number of nodes and ways
 * that have it.
 */
export const unmappedValueSchema = z.strictObject({
  key: z.enum(['shop', 'amenity']),
  value: z.string(),
  elements: z.int().min(1),
});

const componentSchema = z.strictObject({
  component: z.enum(['road_network', 'transit_network', 'pois', 'blocks', 'parks']),
  /** Changes exactly when any input of the component changes. */
  version: z.string(),
  /** `YYYY-MM-DD`: the day the data describes. */
  effective_date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
});
export type Component = z.infer<typeof componentSchema>;

const membersSchema = z.strictObject({
  format: z.literal(FORMAT_VERSION, {
    error: `is not ${FORMAT_VERSION}: another version of the program made it; build the release again`,
  }),
  release: releaseSchema,
  /** The services that objects hold times of, by name, in the order in which they are stored. */
  modes: servicesSchema,
  /**
   * The windows of departures, `am` first; absent if transit has no service but that of the
   * 10th percentile of `am`.
   */
  windows: z.array(windowSchema).optional(),
  /** The directions for which counties have reach objects. */
  directions: z.array(z.enum(DIRECTIONS)).min(1),
  components: z.array(componentSchema),
  assumptions: z.record(z.string(), z.json()),
  taxonomy: taxonomySchema,
  feeds: z.array(feedSchema.extend({ licence })),
  feeds_left_out: z.array(leftOutFeedSchema.extend({ licence })).default([]),
  /** Lists of POIs used in addition to OpenStreetMap: lists of one's own, and Overture's. */
  poi_lists: z.array(z.strictObject({ file: z.string(), sha256: z.string() })).default([]),
  /** The most frequent `shop` and `amenity` values without a type, in the area that was read. */
  unmapped_values: z.array(unmappedValueSchema).default([]),
  /**
   * The columns of every county's `weights` object, in order; if empty, there is no such object.
   */
  weights: z.array(weightSchema).default([]),
  /**
   * The weights, and types as `type:ID`, that every county's `access` object counts within reach;
   * if empty, there is no such object.
   */
  access: z.array(z.string().regex(COUNTED_NAME)).default([]),
  counties: z.record(countyFipsSchema, countySchema),
  states: z.record(z.string().regex(/^\d{2}$/), stateSchema),
  objects: z.strictObject(objectsOf(RELEASE_OBJECT_KINDS)).extend({
    'address-directory': objectRefSchema.optional(),
  }),
  /**
   * PMTiles archives: `blocks`, `basemap`, `lines` (with transit), `<service>-<dest_type_id>`,
   * `pois-<dest_type_id>`.
   */
  tiles: z.record(z.string().regex(/^[a-z0-9_.]+(-\d+)?$/), tileArchiveSchema),
});

/**
 * Everything about a release. Content-addressed like its objects: the same inputs under the same
 * release label give the same manifest, byte for byte, so it does not include the time of
 * publication.
 */
export const manifestSchema = consistent(membersSchema);
export type Manifest = z.infer<typeof membersSchema>;

/** Checks a manifest except for its counties. */
export const manifestWithoutCountiesSchema = membersSchema.extend({
  counties: z.custom<Record<string, CountyManifest>>(isObject, { error: 'is not an object' }),
});

/** Checks that the members of a manifest agree with its counties. */
export const consistentManifestSchema = consistent(z.custom<Manifest>());

function consistent<S extends z.ZodType<Manifest>>(schema: S) {
  return schema
    .refine(hasItsDirections, {
      path: ['directions'],
      error: 'are not those that the counties have objects of',
    })
    .refine(hasItsWeights, {
      path: ['weights'],
      error: 'need an object in every county, which counties have only for them',
    })
    .refine(hasItsAccess, {
      path: ['access'],
      error: 'needs an object in every county, which counties have only for it',
    })
    .refine(hasItsAddresses, {
      path: ['objects', 'address-directory'],
      error: 'needs the addresses of every county, which counties have only with it',
    });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasItsDirections({ directions, counties }: Manifest): boolean {
  return Object.values(counties).every(({ objects }) =>
    DIRECTIONS.every((one) => directions.includes(one) === `reach-${one}` in objects),
  );
}

function hasItsWeights({ weights, counties }: Manifest): boolean {
  return Object.values(counties).every(
    ({ objects }) => 'weights' in objects === weights.length > 0,
  );
}

function hasItsAccess({ access, counties }: Manifest): boolean {
  return Object.values(counties).every(({ objects }) => 'access' in objects === access.length > 0);
}

function hasItsAddresses({ objects: { 'address-directory': directory }, counties }: Manifest) {
  return Object.values(counties).every(
    ({ objects }) => 'addresses' in objects === (directory !== undefined),
  );
}

export const latestSchema = z.strictObject({
  release: z.string(),
  manifest: z.string().regex(/^manifests\/[0-9A-Za-z._-]+\.json$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** When this manifest was first published; a rollback to it does not change this. */
  published_at: z.iso.datetime(),
});
export type Latest = z.infer<typeof latestSchema>;

/** Every object that a manifest names, once each, not including the manifest itself. */
export function objectsNamed(manifest: Manifest): ObjectRef[] {
  const owners = [
    ...Object.values(manifest.counties).flatMap(
      ({ objects, block_bands = {}, access_classes = {} }) => [
        objects,
        block_bands,
        access_classes,
      ],
    ),
    ...Object.values(manifest.states).map(({ objects }) => objects),
    manifest.objects,
    ...Object.values(manifest.tiles),
  ];
  const refs = owners.flatMap((owner) => Object.values<ObjectRef | undefined>(owner));
  const named = refs.filter((ref) => ref !== undefined);
  return [...new Map(named.map((ref) => [ref.name, ref])).values()];
}

import type { FurtherMode } from '../shards/modes.ts';
import type { Direction, LeftOutFeed } from '../shards/release/manifest.ts';
import type { DepartureWindow } from '../shards/services.ts';
import type { Bytes, CountyFips } from '../shards/units.ts';
import type { RoutingChoice, RuleOfR5, WheelchairUnknown } from './routing-parameters.ts';

export interface InputPaths {
  /** OSM PBF files. */
  readonly osm: readonly string[];
  /** TIGER/Line `tabblock20` shapefiles, zipped or not. All blocks in them are possible targets. */
  readonly blocks: readonly string[];
  /** The people of blocks, for block files without a population: tables, or PL 94-171. */
  readonly population?: readonly string[];
  /** GTFS feeds, zips or folders. */
  readonly gtfs?: readonly string[];
  /** TIGER/Line `place` shapefiles; layers of counties, for the names of counties. */
  readonly places?: readonly string[];
  /** Points of interest in addition to OSM's: GeoJSON or GeoParquet. */
  readonly pois?: readonly string[];
  /** Ground heights: GeoTIFFs in degrees, SRTM tiles. Without them all streets are level. */
  readonly elevation?: readonly string[];
  /** Counts by block, block group or tract: LODES, PL 94-171, or tables of one's own. */
  readonly weights?: readonly string[];
  /** House numbers: TIGER/Line `addrfeat` shapefiles, zipped; OSM PBF files, for their `addr:*`. */
  readonly addresses?: readonly string[];
}

export const PATH_KINDS = [
  'osm',
  'blocks',
  'population',
  'gtfs',
  'places',
  'pois',
  'elevation',
  'weights',
  'addresses',
] as const satisfies readonly (keyof InputPaths)[];

export function pathsIn(inputs: InputPaths): string[] {
  return PATH_KINDS.flatMap((kind) => inputs[kind] ?? []);
}

export interface FeedTolerance {
  /** Whether a feed that is left out for any reason refuses the release; false by default. */
  readonly strictFeeds?: boolean;
  /**
   * The largest percentage of feeds that a release may lose. Feeds that are left out since
   * another holds their service, since they have none on weekdays, or for want of a licence do not
   * count.
   */
  readonly maxFeedsLeftOut?: number;
}

interface CataloguedFeed {
  /** '' if unknown. */
  readonly publisher: string;
  /** Null if the catalogue states none. */
  readonly licence: string | null;
}

interface FeedCatalogue {
  readonly catalogued?: ReadonlyMap<string, CataloguedFeed>;
  /** Feeds of the catalogue of which there is no file. */
  readonly notFetched?: readonly LeftOutFeed[];
  /** Whether feeds of which no licence is known are left out; false by default. */
  readonly leaveOutUnlicensed?: boolean;
}

/** The percentage of feeds that a release may lose by default. */
export const MAX_FEEDS_LEFT_OUT = 20;

/** The inputs that all parts of a release share. A release with feeds has transit. */
export interface PlanRequest extends InputPaths, FeedTolerance, FeedCatalogue {
  /** The origin counties, whose rows are computed. Empty: every county in the block files. */
  readonly counties: readonly CountyFips[];
  /**
   * The service day, `YYYY-MM-DD`; by default, the ordinary weekday of most feeds that is nearest
   * to the date of the street data.
   */
  readonly serviceDate?: string;
  /**
   * Windows of departures besides `am`, and for each the percentiles besides the 10th; none by
   * default.
   */
  readonly windows?: readonly DepartureWindow[];
  /** By the name of a window. */
  readonly percentiles?: Readonly<Record<string, readonly number[]>>;
  /** Modes besides walking, cycling and, with feeds, transit; none by default. */
  readonly furtherModes?: readonly FurtherMode[];
  /** How trips and stops of which a feed states nothing count; `USUAL_UNKNOWN` by default. */
  readonly wheelchairUnknown?: WheelchairUnknown;
  /** Parameters of routing; the usual ones by default. */
  readonly routing?: RoutingChoice;
  /** The rules to replace by those of R5; none by default. */
  readonly rulesOfR5?: readonly RuleOfR5[];
  /** Whether weights may leave out many blocks, which then count as 0; false by default. */
  readonly partialWeights?: boolean;
}

/** Options of a release apart from its inputs. */
export interface ReleaseRequest {
  readonly release: string;
  /** Whether to create map tiles too; true by default. */
  readonly tiles?: boolean;
  /**
   * The directions of block-to-block times; both by default. `from` is always included, because
   * `to` is derived from it.
   */
  readonly directions?: readonly Direction[];
  /**
   * The weights and types to count within reach of every block, see `countedNames`; empty for none.
   */
  readonly access?: readonly string[];
}

export interface BuildRequest extends PlanRequest, ReleaseRequest, Resources {
  /** The maximum number of blocks per unit of work; `DEFAULT_UNIT_BLOCKS` by default. */
  readonly unitBlocks?: number;
}

export interface Resources {
  /** Threads; 1 by default. More than one requires compiled code. */
  readonly workers?: number;
  /** Memory limit for all threads together. */
  readonly memory?: Bytes;
  /** A folder for scratch files; by default one of the system's. */
  readonly scratch?: string;
}

export const DEFAULT_MEMORY: Bytes = 4 * 2 ** 30;

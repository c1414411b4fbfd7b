import type { Direction } from '../shards/manifest.ts';
import type { Mode } from '../shards/modes.ts';
import type { Bytes, CountyFips } from '../shards/units.ts';

/** What a region is made of: the counties of one build, and what lies around them. */
export interface RegionRequest extends Means {
  /** OSM PBF files. */
  readonly osm: readonly string[];
  /** TIGER/Line `tabblock20` shapefiles, zipped or not. One may go to all blocks in them. */
  readonly blocks: readonly string[];
  /** GTFS feeds, zips or folders. */
  readonly gtfs?: readonly string[];
  /** TIGER/Line `place` shapefiles. */
  readonly places?: readonly string[];
  /** Points of interest beside OSM's: GeoJSON or GeoParquet. */
  readonly pois?: readonly string[];
  /** The counties to begin in, whose rows are made. Empty: every county in the block files. */
  readonly counties: readonly CountyFips[];
  /** The service day, `YYYY-MM-DD`; by default the common weekday with most trips. */
  readonly serviceDate?: string;
  /** The modes of the release; by default with transit if there are feeds. */
  readonly modes?: readonly Mode[];
}

/** How regions become a release. */
export interface JoinRequest extends Means {
  /** The label of the release. */
  readonly release: string;
  /** Whether to make map tiles too; true by default. */
  readonly tiles?: boolean;
  /** The directions of block-to-block times; both by default. `from`, which `to` is made of, always. */
  readonly directions?: readonly Direction[];
}

/** What a release of one region is made of, and how. */
export interface BuildRequest extends RegionRequest, JoinRequest {}

/** What work may use. */
interface Means {
  /** Threads; 1 by default. More need compiled code. */
  readonly workers?: number;
  /** What it may use, all threads together. */
  readonly memory?: Bytes;
  /** A folder to write scratch files in; by default one of the system's. */
  readonly scratch?: string;
}

/** What a build may use if it is not told. */
export const DEFAULT_MEMORY: Bytes = 4 * 2 ** 30;

import type { Direction } from '../shards/manifest.ts';
import type { Bytes, CountyFips } from '../shards/units.ts';

/** What a release is made of, and how. */
export interface BuildRequest {
  /** OSM PBF files. */
  readonly osm: readonly string[];
  /** TIGER/Line `tabblock20` shapefiles, zipped or not. */
  readonly blocks: readonly string[];
  /** GTFS feeds, zips or folders. Without any, the release has no transit. */
  readonly gtfs?: readonly string[];
  /** TIGER/Line `place` shapefiles. */
  readonly places?: readonly string[];
  /** Points of interest beside OSM's: GeoJSON or GeoParquet. */
  readonly pois?: readonly string[];
  /** Empty: every county the block files speak of. */
  readonly counties: readonly CountyFips[];
  /** The label of the release. */
  readonly release: string;
  /** The service day, `YYYY-MM-DD`; by default the common weekday with most trips. */
  readonly serviceDate?: string;
  /** Threads that search; 1 by default. More need compiled code. */
  readonly workers?: number;
  /** What the build may use, all threads together. */
  readonly memory?: Bytes;
  /** A folder to write scratch files in; by default one of the system's. */
  readonly scratch?: string;
  /** Whether to make map tiles too; true by default. */
  readonly tiles?: boolean;
  /** The directions of block-to-block times; both by default. `from`, which `to` is made of, always. */
  readonly directions?: readonly Direction[];
}

/** What a build may use if it is not told. */
export const DEFAULT_MEMORY: Bytes = 4 * 2 ** 30;

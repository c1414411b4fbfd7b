import type { Direction } from '../shards/release/manifest.ts';
import type { Bytes, CountyFips } from '../shards/units.ts';

/** Files and folders of this machine. */
export interface InputPaths {
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
  /** Heights of the ground: GeoTIFFs in degrees, SRTM tiles. Without, all streets are level. */
  readonly elevation?: readonly string[];
}

/** All of them. */
export function pathsIn(inputs: InputPaths): string[] {
  const { osm, blocks, gtfs = [], places = [], pois = [], elevation = [] } = inputs;
  return [osm, blocks, gtfs, places, pois, elevation].flat();
}

/** What the parts of a release have in common. With feeds it has transit. */
export interface PlanRequest extends InputPaths {
  /** The counties to begin in, whose rows are made. Empty: every county in the block files. */
  readonly counties: readonly CountyFips[];
  /**
   * The service day, `YYYY-MM-DD`; by default the ordinary weekday of most feeds nearest to the
   * street data.
   */
  readonly serviceDate?: string;
}

/** What a release is, beside what it is made of. */
export interface ReleaseRequest {
  /** The label of the release. */
  readonly release: string;
  /** Whether to make map tiles too; true by default. */
  readonly tiles?: boolean;
  /** The directions of block-to-block times; both by default. `from`, which `to` is made of, always. */
  readonly directions?: readonly Direction[];
}

/** What a release is made of, and how. */
export interface BuildRequest extends PlanRequest, ReleaseRequest, Means {
  /** How many blocks a unit of work has at most; `DEFAULT_UNIT_BLOCKS` by default. */
  readonly unitBlocks?: number;
}

/** What work may use. */
export interface Means {
  /** Threads; 1 by default. More need compiled code. */
  readonly workers?: number;
  /** What it may use, all threads together. */
  readonly memory?: Bytes;
  /** A folder to write scratch files in; by default one of the system's. */
  readonly scratch?: string;
}

/** What a build may use if it is not told. */
export const DEFAULT_MEMORY: Bytes = 4 * 2 ** 30;

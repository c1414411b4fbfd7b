import type { ModeBases } from '../../shards/matrix/row-codec.ts';
import type { Routing } from '../routing-parameters.ts';
import type { StreetRegion } from '../streets/street-region.ts';
import type { TransitRegion } from '../transit/transit-region.ts';

/** The transit of riders who walk to it in one way. */
interface RidersRegion {
  /** The position of their walks among the street modes, whose targets include the stops. */
  readonly walk: number;
  /** By window of departures. */
  readonly windows: readonly TransitRegion[];
}

/**
 * The data that searches read and never write: typed arrays, shared by threads. All targets have
 * one numbering: destinations (ascending by `dest_id`), then blocks (ascending by GEOID), then, on
 * foot, transit stops.
 */
export interface SearchRegion {
  readonly routing: Routing;
  readonly destinationCount: number;
  readonly blockCount: number;
  /** By street mode: on foot, by bike, then further ways to walk, whose services are the last. */
  readonly streets: readonly StreetRegion[];
  /** The services whose rows are stored by what differs from others, as `basesOf` lists them. */
  readonly bases: ModeBases;
  /** First all, then those without steps, if any; empty without feeds. */
  readonly riders: readonly RidersRegion[];
  /**
   * Destinations that contain block `b`: `inside[firstInside[b]]` to `inside[firstInside[b + 1]]`,
   * exclusive.
   */
  readonly firstInside: Int32Array;
  readonly inside: Int32Array;
  /**
   * Leaf columns of destination `d`: `leaves[firstLeaf[d]]` to `leaves[firstLeaf[d + 1]]`,
   * exclusive.
   */
  readonly firstLeaf: Int32Array;
  readonly leaves: Int32Array;
  readonly leafCount: number;
  /**
   * Positions in the taxonomy of the types of destination `d` and of all their ancestors, each
   * once: `types[firstType[d]]` to `types[firstType[d + 1]]`, exclusive.
   */
  readonly firstType: Int32Array;
  readonly types: Int32Array;
  readonly typeCount: number;
}

import type { Polygon } from '../../shards/geometry/polygon.ts';
import type { PoiFacts } from '../../shards/pois/poi-table.ts';
import type { Degrees, DestId, DestTypeId } from '../../shards/units.ts';

/** The facts about a POI that people travel to, from any source. */
export interface DestinationFacts {
  readonly destId: DestId;
  /** The source's name for the POI, for error messages: `node 123`, `way 45`. */
  readonly source: string;
  readonly name: string;
  readonly address: Address;
  readonly brand: string | null;
  /** Leaf types, ascending; at least one. */
  readonly types: readonly DestTypeId[];
  readonly lon: Degrees;
  readonly lat: Degrees;
}

/** A destination before it is linked to the streets. */
export interface Destination extends DestinationFacts {
  /**
   * Points on the sides of the outline where the POI can be entered, or else the point of the POI.
   * At least one.
   */
  readonly entrances: readonly { readonly lon: Degrees; readonly lat: Degrees }[];
  /** Outline of a POI with sides. A trip that begins inside the outline has arrived. */
  readonly outline?: readonly Polygon[];
}

export interface Address {
  readonly street: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zip: string | null;
}

export function poiFacts({ name, lon, lat, address, brand, types }: DestinationFacts): PoiFacts {
  return { name, lon, lat, ...address, brand, types };
}

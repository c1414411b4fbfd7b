import type { Polygon } from '../../shards/geometry/polygon.ts';
import type { PoiFacts } from '../../shards/pois/poi-table.ts';
import type { Degrees, DestId, DestTypeId } from '../../shards/units.ts';

/** What is told of a place people travel to, from any source. */
export interface DestinationFacts {
  readonly destId: DestId;
  /** What the source calls it, for errors: `node 123`, `way 45`. */
  readonly source: string;
  readonly name: string;
  readonly address: Address;
  readonly brand: string | null;
  /** Leaf types, ascending; at least one. */
  readonly types: readonly DestTypeId[];
  /** Where it is drawn. */
  readonly lon: Degrees;
  readonly lat: Degrees;
}

/** A destination before it is linked to the streets. */
export interface Destination extends DestinationFacts {
  /** Where it is entered: along the sides of its outline; else the point itself. At least one. */
  readonly entrances: readonly { readonly lon: Degrees; readonly lat: Degrees }[];
  /** Of a place with sides: whoever is inside is there. */
  readonly outline?: readonly Polygon[];
}

export interface Address {
  readonly street: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zip: string | null;
}

/** What a POI table keeps of a destination. */
export function poiFacts({ name, lon, lat, address, brand, types }: DestinationFacts): PoiFacts {
  return { name, lon, lat, ...address, brand, types };
}

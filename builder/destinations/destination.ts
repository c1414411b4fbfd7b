import type { Degrees, DestId, DestTypeId } from '../../shards/units.ts';

/** A place people travel to, from any source, before it is linked to the streets. */
export interface Destination {
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
  /** Where it is entered: gates of a park; else the point itself. At least one. */
  readonly entrances: readonly { readonly lon: Degrees; readonly lat: Degrees }[];
}

export interface Address {
  readonly street: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zip: string | null;
}

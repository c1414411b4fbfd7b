// API responses as the pages read them; the portal's are in `portal/answers.ts`.

/** A census place, as returned by the API's search by name. */
export interface Place {
  readonly name: string;
  readonly geoid: string;
  readonly state: string;
  readonly lon: number;
  readonly lat: number;
}

export type Ring = readonly (readonly [number, number])[];

/** `GET /v1/places/{geoid}/boundary`. */
export interface Boundary {
  readonly geometry:
    | { readonly type: 'Polygon'; readonly coordinates: readonly Ring[] }
    | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Ring[])[] };
}

export interface Component {
  readonly component: string;
  readonly version: string;
  readonly effective_date: string;
}

/** The area that the release covers. */
export interface DataCoverage {
  readonly counties: number;
  readonly population: number;
  readonly blocks: number;
  readonly routable_blocks: number;
}

export interface DestinationType {
  readonly dest_type_id: number;
  readonly name: string;
  readonly label: string;
  readonly is_leaf: boolean;
  readonly parent_id: number | null;
}

/** `GET /v1/meta/tiles`. */
export interface TileArchives {
  readonly release: string;
  /** West, south, east and north edge, degrees. */
  readonly bounds: readonly number[];
  /** The same of its POIs. */
  readonly poi_bounds: readonly number[] | null;
  readonly archives: readonly {
    readonly layer: 'blocks' | 'bands';
    readonly mode: string | null;
    readonly dest_type_id: number | null;
    readonly url: string;
  }[];
}

/** `GET /v1/blocks/{geoid}/summary`. */
export interface Summary {
  readonly block: { readonly geoid: string; readonly population: number | null };
  readonly results: readonly {
    readonly dest_type_id: number;
    readonly mode: string;
    readonly travel_time: number;
  }[];
  /** Modes that could not be routed from the block. */
  readonly unrouted?: readonly { readonly mode: string; readonly reason: string }[];
}

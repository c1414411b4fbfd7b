import { z } from 'zod';
import { parseJson, parseWith } from '../../shards/codec/json-object.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { CensusPlace } from '../census/census-places.ts';
import type { DestinationFacts } from '../destinations/destination.ts';

/** Data that a region read and that its counties' objects lack, or hold less exactly. */
interface Gathered {
  /** The destinations that the region's rows may lead to, ascending by `destId`. */
  readonly destinations: readonly DestinationFacts[];
  /** The census places around the region's blocks, ascending by GEOID. */
  readonly censusPlaces: readonly CensusPlace[];
}

const text = z.string().nullable();
const position = z.tuple([z.number(), z.number()]);
const gatheredSchema: z.ZodType<Gathered> = z.strictObject({
  destinations: z.array(
    z.strictObject({
      destId: z.int(),
      source: z.string(),
      name: z.string(),
      address: z.strictObject({ street: text, city: text, state: text, zip: text }),
      brand: text,
      types: z.array(z.int()),
      lon: z.number(),
      lat: z.number(),
    }),
  ),
  censusPlaces: z.array(
    z.strictObject({
      geoid: z.string(),
      name: z.string(),
      lon: z.number(),
      lat: z.number(),
      box: z.strictObject({
        minLon: z.number(),
        minLat: z.number(),
        maxLon: z.number(),
        maxLat: z.number(),
      }),
      area: z.strictObject({ polygons: z.array(z.array(z.array(position))) }),
    }),
  ),
});

/** Encodes gathered data as JSON, which preserves numbers exactly. */
export function encodeGathered({ destinations, censusPlaces }: Gathered): Uint8Array {
  const facts = destinations.map(
    ({ destId, source, name, address, brand, types, lon, lat }): DestinationFacts => ({
      destId,
      source,
      name,
      address,
      brand,
      types,
      lon,
      lat,
    }),
  );
  return Buffer.from(JSON.stringify({ destinations: facts, censusPlaces } satisfies Gathered));
}

/** Reads the data that a region gathered; throws a `ShardError` if the object is damaged. */
export async function readGathered(store: Store, ref: ObjectRef): Promise<Gathered> {
  return parseWith(ref.name, parseJson(ref.name, await readVerified(store, ref)), gatheredSchema);
}

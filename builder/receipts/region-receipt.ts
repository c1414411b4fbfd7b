import { z } from 'zod';
import { boxSchema, countyFipsSchema, objectRefSchema } from '../../shards/release/manifest.ts';
import type { CensusPlace } from '../census/census-places.ts';
import type { DestinationFacts } from '../destinations/destination.ts';

/** The result of searching a county: its objects except for the transposed ones. */
export const searchedCountySchema = z.strictObject({
  blocks: z.int(),
  population: z.int(),
  routable_blocks: z.int(),
  block_box: boxSchema,
  poi_rows: z.int(),
  reach_rows: z.int(),
  objects: z.strictObject({
    index: objectRefSchema,
    nearest: objectRefSchema,
    'nth-nearest': objectRefSchema,
    pois: objectRefSchema,
    'reach-from': objectRefSchema,
    transit: objectRefSchema.optional(),
    'transit-step-free': objectRefSchema.optional(),
    blocks: objectRefSchema,
  }),
});
export type SearchedCounty = z.infer<typeof searchedCountySchema>;

/** A county of a region: the result of its search, and what its rows lead to. */
const regionCountySchema = z.strictObject({
  searched: searchedCountySchema,
  /** Edges of the destinations in its rows; null if there are none. */
  poi_box: boxSchema.nullable(),
  /** The counties of the blocks in its rows. */
  reach: z.array(countyFipsSchema),
});
export type RegionCounty = z.infer<typeof regionCountySchema>;

/**
 * The result of a region: everything that a release is joined from, with its objects by reference.
 */
export const regionReceiptSchema = z.strictObject({
  /** SHA-256 of all but the weights of the plan that the region is part of. */
  plan: z.string(),
  /** When the newest street was edited, or the files were cut. */
  streets_as_of_ms: z.number(),
  /**
   * Types of the destinations in the region's rows that come from files other than OpenStreetMap's,
   * ascending.
   */
  listed_types: z.array(z.int()),
  counties: z.record(countyFipsSchema, regionCountySchema),
  /** A `Gathered`. */
  gathered: objectRefSchema,
});
export type RegionReceipt = z.infer<typeof regionReceiptSchema>;

/** Data that a region read and that its counties' objects lack, or hold less exactly. */
export interface Gathered {
  /** The destinations that the region's rows may lead to, ascending by `destId`. */
  readonly destinations: readonly DestinationFacts[];
  /** The census places around the region's blocks, ascending by GEOID. */
  readonly censusPlaces: readonly CensusPlace[];
}

import { z } from 'zod';
import { boxSchema, objectRefSchema } from '../../shards/release/manifest.ts';

/** What searching a county leaves: its objects but for the transposed ones. */
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
    pois: objectRefSchema,
    'reach-from': objectRefSchema,
    blocks: objectRefSchema,
  }),
});
export type SearchedCounty = z.infer<typeof searchedCountySchema>;

const fips = z.string().regex(/^\d{5}$/);

/** A county of a region: what its search left, and the counties whose blocks its rows lead to. */
const regionCountySchema = z.strictObject({ searched: searchedCountySchema, reach: z.array(fips) });
export type RegionCounty = z.infer<typeof regionCountySchema>;

/** What a region leaves: all that a release is joined from, its objects by reference. */
export const regionReceiptSchema = z.strictObject({
  /** The SHA-256 of the plan that it is a part of. */
  plan: z.string(),
  /** When the newest street was edited, or the files were cut. */
  streets_as_of_ms: z.number(),
  /** Types of the destinations that its rows lead to and files beside OSM's list, ascending. */
  listed_types: z.array(z.int()),
  counties: z.record(fips, regionCountySchema),
  /** The destinations its rows lead to, and the census places around its blocks. */
  gathered: objectRefSchema,
});
export type RegionReceipt = z.infer<typeof regionReceiptSchema>;

import { z } from 'zod';
import { objectRefSchema } from '../../shards/manifest.ts';
import { searchedCountySchema } from './county-receipt.ts';

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

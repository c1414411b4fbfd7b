import { z } from 'zod';
import { feedSchema, objectRefSchema } from '../../shards/manifest.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { taxonomySchema } from '../../shards/taxonomy.ts';
import { searchedCountySchema } from './county-receipt.ts';

const fips = z.string().regex(/^\d{5}$/);

/** A county of a region: what its search left, and the counties whose blocks its rows lead to. */
const regionCountySchema = z.strictObject({ searched: searchedCountySchema, reach: z.array(fips) });
export type RegionCounty = z.infer<typeof regionCountySchema>;

/** What a region leaves: all that a release is joined from, its objects by reference. */
export const regionReceiptSchema = z.strictObject({
  modes: z.array(z.enum(MODE_LABELS)),
  taxonomy: taxonomySchema,
  /** Its files, by what is in them. */
  sources: z.strictObject({
    osm: z.array(z.string()),
    blocks: z.array(z.string()),
    listed: z.array(z.string()),
  }),
  /** When the newest street was edited, or the files were cut. */
  streets_as_of_ms: z.number(),
  /** Types that the files beside OSM's list, ascending. */
  listed_types: z.array(z.int()),
  /** The feeds and the day that all were read for; null without any. */
  transit: z.strictObject({ service_date: z.iso.date(), feeds: z.array(feedSchema) }).nullable(),
  counties: z.record(fips, regionCountySchema),
  /** The destinations its rows lead to, and the census places around its blocks. */
  gathered: objectRefSchema,
});
export type RegionReceipt = z.infer<typeof regionReceiptSchema>;

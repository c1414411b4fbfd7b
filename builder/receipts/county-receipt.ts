import { z } from 'zod';
import { boxSchema, objectRefSchema } from '../../shards/manifest.ts';

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

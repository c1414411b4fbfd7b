import { z } from 'zod';
import { counted } from '../../shards/number-words.ts';
import { countyFipsSchema, objectRefSchema } from '../../shards/release/manifest.ts';
import type { CountyFips } from '../../shards/units.ts';
import { weightSchema } from '../../shards/weights/weight.ts';
import { encodeWeights } from '../../shards/weights/weight-table.ts';
import { putObject } from '../publish/put-object.ts';
import { BlockCounts, type CountedCounty } from '../weights/block-counts.ts';
import { openWeightFile } from '../weights/open-weight-file.ts';
import type { BlockTables } from './blocks.ts';
import type { Preparation } from './preparation.ts';

/** The weights of a release, and the object of each county, which is final. */
export const preparedWeightsSchema = z.strictObject({
  weights: z.array(weightSchema),
  counties: z.record(countyFipsSchema, objectRefSchema),
});
type PreparedWeights = z.infer<typeof preparedWeightsSchema>;

interface WeightPreparation extends Preparation {
  readonly paths: readonly string[];
  readonly blocks: BlockTables;
  readonly counties: readonly CountyFips[];
  readonly mayBePartial: boolean;
}

/**
 * Reads weight files once for all units, and puts the weights of each county into the store. Holds
 * five bytes for each weight of each block.
 */
export async function writeWeights(preparation: WeightPreparation): Promise<PreparedWeights> {
  const { paths, blocks, counties, receipts, keyOf, mayBePartial } = preparation;
  if (paths.length === 0) return { weights: [], counties: {} };
  const key = keyOf([mayBePartial, counties.map((county) => blocks.refsOf(county))]);
  return receipts.findOrMake('weights', key, preparedWeightsSchema, () => readAll(preparation));
}

async function readAll(preparation: WeightPreparation): Promise<PreparedWeights> {
  const { paths, blocks, counties, store, progress, mayBePartial } = preparation;
  const stage = progress.start('weights', paths.length, 'files');
  const countedCounties = new Map<CountyFips, CountedCounty>();
  for (const county of counties) countedCounties.set(county, await blocks.populations(county));
  const counts = new BlockCounts(countedCounties);
  for (const [i, path] of paths.entries()) {
    await counts.add(await openWeightFile(path, 'weights'));
    stage.at(i + 1);
  }
  if (!mayBePartial) counts.requireCoverage();
  const objects: PreparedWeights['counties'] = {};
  for (const [county, { geoids }] of countedCounties) {
    const stem = `weights/${county}`;
    const bytes = encodeWeights(stem, geoids.length, counts.columnsOf(county));
    objects[county] = await putObject(store, stem, 'tta', bytes);
  }
  const { weights } = counts;
  stage.finish(
    `${counted(weights.length, 'weight')}: ${weights.map(({ weight }) => weight).join(', ')}`,
  );
  return { weights, counties: objects };
}

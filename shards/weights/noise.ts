import { z } from 'zod';
import { WEIGHT_SOURCES, type Weight } from './weight.ts';

/** How counts were changed to protect the people counted, and how far they are off. */
export const noiseSchema = z.strictObject({
  method: z.string(),
  typical_error: z.array(
    z.strictObject({ counts: z.string(), error: z.string(), source: z.string() }),
  ),
});
export type Noise = z.infer<typeof noiseSchema>;

const CENSUS: Noise = {
  method:
    'The census of 2020 adds random numbers to the counts of all areas smaller than a state, and ' +
    'then makes them agree (TopDown algorithm, differential privacy).',
  typical_error: [
    {
      counts: 'people of a place of 2,500',
      error: 'from 5 too few to 6 too many in 90 of 100 places',
      source: 'US Census Bureau, Disclosure Avoidance-Related Variability, January 2022',
    },
    {
      counts: 'groups, such as races and ages',
      error: 'reliable in places of 200 to 249 people and in block groups of 450 to 499, or larger',
      source: 'US Census Bureau, Research Report SSS2021-02',
    },
    {
      counts: 'a block',
      error:
        'a standard deviation of 3.2 in each of its counts by age, ethnicity, race and quarters, ' +
        'before they are made to agree; blocks are meant to be summed',
      source: 'US Census Bureau, DAS 2020 Redistricting Production Code, 2021',
    },
  ],
};

const EVALUATION = 'McKinney, Green, Vilhuber and Abowd, 2020, arXiv 2007.13275';

const lodes = (method: string): Noise => ({
  method,
  typical_error: [
    {
      counts: '10 jobs or more',
      error: 'small',
      source: EVALUATION,
    },
    {
      counts: '3 to 9 jobs',
      error: 'to be used with caution',
      source: EVALUATION,
    },
    {
      counts: '1 or 2 jobs',
      error: 'large; of use in sums only',
      source: EVALUATION,
    },
  ],
});

const NOISE: Readonly<Record<string, Noise>> = {
  [WEIGHT_SOURCES.blocks]: CENSUS,
  [WEIGHT_SOURCES.redistricting]: CENSUS,
  [WEIGHT_SOURCES.workplaces]: lodes(
    'LODES multiplies the jobs of each employer by a random factor.',
  ),
  [WEIGHT_SOURCES.residences]: lodes(
    'LODES states synthetic homes: a model places workers within their census tract.',
  ),
};

/** The census of 2020 publishes the housing units of every block as they were counted. */
const UNCHANGED = 'housing_units';

/** The noise of a weight's counts; null if its source is not known to add any. */
export function noiseOf({ weight, source }: Pick<Weight, 'weight' | 'source'>): Noise | null {
  if (source === WEIGHT_SOURCES.redistricting && weight === UNCHANGED) return null;
  return NOISE[source] ?? null;
}

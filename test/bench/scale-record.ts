import { z } from 'zod';

const counts = z.number().nonnegative();

const citySchema = z.object({
  blocks: counts,
  pois: counts,
  /** Pairs of an origin and a destination in all modes, one direction. */
  pairs: z.object({ blocks: counts, pois: counts }),
  /** Seconds of processor time, by step of the build. */
  seconds: z.object({
    blocks: counts,
    network: counts,
    search: counts,
    reachTo: counts,
    catchment: counts,
    tiles: counts,
    others: counts,
  }),
  elapsedSeconds: counts,
  peakMegabytes: counts,
  /** Bytes of the objects of the release, by the folder in their names. */
  bytes: z.record(z.string(), counts),
});

/** A demo city that was built, what it cost and what it takes. */
export type ScaleCity = Readonly<z.infer<typeof citySchema>>;

export const scaleRecordSchema = z.object({
  date: z.string(),
  /** The commit whose build was measured. */
  commit: z.string(),
  machine: z.string(),
  node: z.string(),
  /** By size, ascending. */
  cities: z.array(citySchema).nonempty().readonly(),
});

/** The measurements of `npm run bench -- scale`, as `scale.json` holds them. */
export type ScaleRecord = Readonly<z.infer<typeof scaleRecordSchema>>;

/** The processor time of all steps, in seconds. */
export function totalSeconds({ seconds }: ScaleCity): number {
  return Object.values(seconds).reduce((sum, one) => sum + one, 0);
}

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

const costsSchema = z.object({
  seconds: counts,
  elapsed: counts,
  read: counts,
  written: counts,
});

const nationSchema = z.object({
  date: z.string(),
  commit: z.string(),
  machine: z.string(),
  node: z.string(),
  blocks: counts,
  counties: counts,
  feeds: z.object({ served: counts, used: counts }),
  /** Feeds that the release leaves out, each for its true reason. */
  leftOut: counts,
  extractBytes: counts,
  pairs: z.object({ blocks: counts, pois: counts }),
  /** Costs of making, fetching, building and verifying it. */
  stages: z.record(z.string(), costsSchema),
  /** Costs of the build by step, of all its processes together. */
  steps: z.record(z.string(), costsSchema),
  /** The peak memory of one worker. */
  peakMegabytes: counts,
  /** The rate at which the machine writes onto its disk. */
  syncedBytesPerSecond: counts,
  bytes: z.record(z.string(), counts),
});

/** A made nation that was built over a queue, what it cost and what it takes. */
export type ScaleNation = Readonly<z.infer<typeof nationSchema>>;

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
  /** By size, ascending. */
  nations: z.array(nationSchema).readonly(),
});

/** The measurements of `npm run bench -- scale` and `nation-…`, as `scale.json` holds them. */
export type ScaleRecord = Readonly<z.infer<typeof scaleRecordSchema>>;

/** The processor time of all steps, in seconds. */
export function secondsOf(built: ScaleCity | ScaleNation): number {
  const parts =
    'steps' in built
      ? Object.values(built.steps).map(({ seconds }) => seconds)
      : Object.values(built.seconds);
  return parts.reduce((sum, one) => sum + one, 0);
}

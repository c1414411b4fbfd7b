import { z } from 'zod';
import { feedSchema } from '../../shards/release/manifest.ts';
import type { Bytes } from '../../shards/units.ts';
import { WHEELCHAIR_UNKNOWN } from '../routing-parameters.ts';

/** A job that reads a batch of cells from OpenStreetMap files, and divides it by cell. */
const osmJobSchema = z.strictObject({
  kind: z.literal('osm'),
  /** The edges of the batch, as in `CellRectangle`. */
  edges: z.tuple([z.int(), z.int(), z.int(), z.int()]).readonly(),
  /** The cells that the base map reads, ascending. */
  mapped: z.array(z.int()).readonly(),
});
export type OsmJobSpec = z.infer<typeof osmJobSchema>;

/** A job that reads the ground heights of cells from elevation files. */
const elevationJobSchema = z.strictObject({
  kind: z.literal('elevation'),
  cells: z.array(z.int()).readonly(),
});
export type ElevationJobSpec = z.infer<typeof elevationJobSchema>;

/** A job that reads a feed for its day. */
const feedJobSchema = z.strictObject({
  kind: z.literal('feed'),
  /** The `fingerprint` of the feed. */
  sha256: z.string(),
  day: z.string(),
  patterns: feedSchema.shape.weekday_patterns,
  best: z.int(),
  without: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  clock: z.strictObject({
    common: z.string(),
    opens: z.number(),
    length: z.number(),
    aheadOfUtc: z.number(),
    earliest: z.number(),
    latest: z.number(),
  }),
  /** Present if the service for riders without steps is wanted too. */
  wheelchair_unknown: z.enum(WHEELCHAIR_UNKNOWN).optional(),
});
export type FeedJobSpec = z.infer<typeof feedJobSchema>;

/**
 * The definition of a preparation job, which depends on no other job and no machine. Its results go
 * to the store, so it can run in any thread and on any machine.
 */
export const jobSpecSchema = z.discriminatedUnion('kind', [
  osmJobSchema,
  elevationJobSchema,
  feedJobSchema,
]);
export type JobSpec = z.infer<typeof jobSpecSchema>;

/** A preparation job on files of this machine. */
export interface PreparationJob {
  readonly spec: JobSpec;
  readonly paths: readonly string[];
  /** An estimate of the memory that the job takes. */
  readonly memory: Bytes;
  /** The amount of work, for progress: the bytes or cells to be read, or one feed. */
  readonly work: number;
}

import { z } from 'zod';
import { feedSchema } from '../../shards/release/manifest.ts';
import type { Bytes } from '../../shards/units.ts';

/** Reads the part of OpenStreetMap files that lies in some cells, and divides it by cell. */
const osmJobSchema = z.strictObject({
  kind: z.literal('osm'),
  /** The `edges` of the cells. */
  cells: z.tuple([z.int(), z.int(), z.int(), z.int()]).readonly(),
  /** Whether the files hold much more than these cells. */
  isPart: z.boolean(),
  /** The cells that the base map reads, ascending. */
  mapped: z.array(z.int()).readonly(),
});
export type OsmJob = z.infer<typeof osmJobSchema>;

/** Counts the nodes of a part of an OpenStreetMap file by cell. */
const nodesJobSchema = z.strictObject({
  kind: z.literal('osm-nodes'),
  cells: osmJobSchema.shape.cells,
  /** The part, in bytes: between two blocks. */
  from: z.int(),
  to: z.int(),
});
export type NodesJob = z.infer<typeof nodesJobSchema>;

/** Reads a feed for its day. */
const feedJobSchema = z.strictObject({
  kind: z.literal('feed'),
  /** The `fingerprint` of the feed. */
  sha256: z.string(),
  day: z.string(),
  patterns: feedSchema.shape.weekday_patterns,
  clock: z.strictObject({
    common: z.string(),
    aheadOfUtc: z.number(),
    earliest: z.number(),
    latest: z.number(),
  }),
});
export type FeedJob = z.infer<typeof feedJobSchema>;

/**
 * A part of a preparation. It needs no other part, and its results go to the store, so it can run
 * in any thread and on any machine.
 */
export const preparationJobSchema = z.discriminatedUnion('kind', [
  nodesJobSchema,
  osmJobSchema,
  feedJobSchema,
]);
export type PreparationJob = z.infer<typeof preparationJobSchema>;

/** A job on files of this machine. */
export interface PreparationTask {
  readonly job: PreparationJob;
  readonly paths: readonly string[];
  /** The key of its receipt; the stage is the job's kind. */
  readonly key: string;
  /** An estimate of the memory that it takes. */
  readonly memory: Bytes;
  /** The amount of work, for progress: the bytes to be read, or one feed. */
  readonly work: number;
}

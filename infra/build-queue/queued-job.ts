import { z } from 'zod';
import {
  countyFipsSchema,
  DIRECTIONS,
  objectRefSchema,
  releaseSchema,
} from '../../shards/release/manifest.ts';

const unit = z.array(countyFipsSchema).min(1).readonly();

/**
 * Schema of a queued job, kept minimal: anyone with write access to the queue's Redis can put
 * anything there, and must not control where a worker reads, writes or deletes.
 */
const queuedJobSchema = z.strictObject({
  /** The build it belongs to: the same for the same release of the same plan. */
  build: z.string().regex(/^[0-9a-f]{16}$/),
  plan: objectRefSchema,
  request: z.strictObject({
    release: releaseSchema,
    tiles: z.boolean(),
    directions: z.array(z.enum(DIRECTIONS)).min(1).readonly(),
  }),
  job: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('unit'), counties: unit }),
    z.strictObject({ kind: z.literal('join'), units: z.array(unit).readonly() }),
    z.strictObject({ kind: z.literal('publish') }),
  ]),
});
export type QueuedJob = z.infer<typeof queuedJobSchema>;

/** Schema of a queued preparation job, which comes before the plan. */
const queuedPreparationSchema = z.strictObject({
  /** The same for all preparation jobs of a plan. */
  build: queuedJobSchema.shape.build,
  preparation: objectRefSchema,
});
export type QueuedPreparation = z.infer<typeof queuedPreparationSchema>;

/** Any job in the queue. */
export type Queued = QueuedJob | QueuedPreparation;

/** Parses what is in the queue. */
export function parseQueued(data: unknown): z.ZodSafeParseResult<Queued> {
  const schema = 'preparation' in Object(data) ? queuedPreparationSchema : queuedJobSchema;
  return schema.safeParse(data);
}

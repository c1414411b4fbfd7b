import { z } from 'zod';
import { tableJobSchema } from '../../builder/export/table-job.ts';
import {
  countyFipsSchema,
  DIRECTIONS,
  latestSchema,
  objectRefSchema,
  releaseSchema,
} from '../../shards/release/manifest.ts';

const unit = z.array(countyFipsSchema).min(1).readonly();

/**
 * Schema of a queued job, kept minimal: anyone with write access to the queue's Redis can put
 * anything there, and must not control where a worker reads, writes or deletes.
 */
const queuedJobSchema = z.strictObject({
  /** Id of the build that the job belongs to; the same for the same release of the same plan. */
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
  /** Id that all preparation jobs of a plan share. */
  build: queuedJobSchema.shape.build,
  preparation: objectRefSchema,
});
export type QueuedPreparation = z.infer<typeof queuedPreparationSchema>;

/** Schema of a queued table of a release. */
const queuedTableSchema = z.strictObject({
  /** Id that all tables of a release share. */
  build: queuedJobSchema.shape.build,
  /** Version of the program that is to write the table, so that all tables have the same bytes. */
  program: z.string().max(100),
  latest: latestSchema,
  table: tableJobSchema,
});
export type QueuedTable = z.infer<typeof queuedTableSchema>;

/** Any job in the queue. */
export type Queued = QueuedJob | QueuedPreparation | QueuedTable;

/**
 * Returns the version of the program that queued a job, if its data state one, as those of tables
 * do; otherwise null.
 */
export function programIn(data: unknown): string | null {
  return (
    z.object({ program: queuedTableSchema.shape.program }).safeParse(data).data?.program ?? null
  );
}

/** Parses the data of a queued job. */
export function parseQueued(data: unknown): z.ZodSafeParseResult<Queued> {
  if ('preparation' in Object(data)) return queuedPreparationSchema.safeParse(data);
  return ('table' in Object(data) ? queuedTableSchema : queuedJobSchema).safeParse(data);
}

/** Describes a job for the log. */
export function describeJob(queued: Queued): string {
  if ('preparation' in queued) return `prepare ${queued.preparation.name} of build ${queued.build}`;
  if ('table' in queued) {
    const { table, county } = queued.table;
    return `export ${table}${county === null ? '' : ` of ${county}`} of build ${queued.build}`;
  }
  const { build, job, request } = queued;
  const what = job.kind === 'unit' ? ` of ${job.counties.join(', ')}` : '';
  return `${job.kind}${what} for ${request.release} of build ${build}`;
}

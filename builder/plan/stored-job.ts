import { z } from 'zod';
import { ShardError } from '../../shards/errors.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import { jobSpecSchema, type PreparationJob } from '../prepare/preparation-job.ts';
import { putObject } from '../publish/put-object.ts';
import { type PlannedInput, plannedInputSchema } from './planned-input.ts';
import { programVersion } from './program-version.ts';

/** A preparation job for another machine, with its inputs by content. */
const storedJobSchema = z.strictObject({
  /** `programVersion` of the program that stored the job, the only one that can run it. */
  program: z.string(),
  spec: jobSpecSchema,
  inputs: z.array(plannedInputSchema).readonly(),
  /** The key of the job's receipt. */
  key: z.string(),
});
type StoredJob = z.infer<typeof storedJobSchema>;

/** Puts a job into a store. */
export function putJob(
  store: WritableStore,
  { spec, key }: PreparationJob,
  inputs: readonly PlannedInput[],
): Promise<ObjectRef> {
  const stored: StoredJob = { program: programVersion(), spec, inputs, key };
  const bytes = Buffer.from(JSON.stringify(stored));
  return putObject(store, `plans/job-${spec.kind}`, 'json', bytes);
}

/** Reads a job from a store; throws a `ShardError` if the object is damaged. */
export async function readJob(store: Store, ref: ObjectRef): Promise<StoredJob> {
  const bytes = await readVerified(store, ref);
  const parsed = storedJobSchema.safeParse(JSON.parse(Buffer.from(bytes).toString()));
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new ShardError(ref.name, path.join('.'), message);
}

import { z } from 'zod';
import { fetchInputs } from '../../../builder/plan/shared-inputs.ts';
import { readJob } from '../../../builder/plan/stored-job.ts';
import { runPreparationJob } from '../../../builder/prepare/run-preparation-job.ts';
import { accumulator } from '../../../builder/progress.ts';
import { Receipts } from '../../../builder/receipts/receipts.ts';
import type { QueuedPreparation } from '../queued-job.ts';
import type { ThreadContext } from './thread-context.ts';

/** Runs a preparation job, whose result becomes its receipt, and returns its notes. */
export async function runPreparation(
  { preparation }: QueuedPreparation,
  { store, folder, progress }: ThreadContext,
): Promise<readonly string[]> {
  const { spec, key, inputs } = await readJob(store, preparation);
  const pathOf = await fetchInputs(store, inputs, folder, progress);
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line);
    progress.note(`${inputs.map(({ name }) => name).join(', ')}: ${line}`);
  };
  const make = async () => {
    const stage = progress.start(spec.kind, null, spec.kind === 'feed' ? 'feeds' : 'bytes');
    const context = { store, note, onWork: accumulator(stage) };
    const value = await runPreparationJob(spec, inputs.map(pathOf), context);
    stage.finish();
    return value;
  };
  await new Receipts(store).findOrMake(spec.kind, key, z.unknown(), make);
  return notes;
}

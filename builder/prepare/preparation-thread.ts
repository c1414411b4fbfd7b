import { workerData } from 'piscina';
import { openWritableStore } from '../../shards/store/open-store.ts';
import { sendingErrors } from '../threads/sent-errors.ts';
import type { JobResult } from './preparation.ts';
import { inThisThread, type ThreadRequest } from './preparation-pool.ts';

const pool = inThisThread(await openWritableStore(workerData as string));

/** Runs a job, in a thread of a preparation pool. */
export default sendingErrors(async ({ job, port }: ThreadRequest): Promise<JobResult> => {
  try {
    return await pool.run(job, (amount) => port.postMessage(amount));
  } finally {
    port.close();
  }
});

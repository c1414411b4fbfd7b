import { workerData } from 'piscina';
import type { ThreadWork } from './pool.ts';
import { sendingErrors } from './sent-errors.ts';

const { module, data } = workerData as ThreadWork;
const { openWork } = await import(module);

/** Does a piece of the work of a module, in a thread of a pool. */
export default sendingErrors(await openWork(data));

import { sendingErrors } from '../threads/sent-errors.ts';
import { type TransposeRequest, Transposer } from './transposer.ts';

const transposer = new Transposer();

/** Sorts a slice or merges a band, in a thread of a transpose pool. */
export default sendingErrors((request: TransposeRequest) => transposer.run(request));

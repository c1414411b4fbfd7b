import { sendingErrors } from '../threads/sent-errors.ts';
import { type TransposeRequest, Transposer } from './transposer.ts';

const transposer = new Transposer();

/** What a thread of the transposition runs for each slice and each band. */
export default sendingErrors((request: TransposeRequest) => transposer.run(request));

import { sendingErrors } from '../threads/sent-errors.ts';
import { type TransposeRequest, Transposer } from './transposer.ts';

const transposer = new Transposer();

/** The work of a transposition thread for each slice and each band. */
export default sendingErrors((request: TransposeRequest) => transposer.run(request));

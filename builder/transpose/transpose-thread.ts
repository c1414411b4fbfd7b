import { type TransposeRequest, type TransposeResult, Transposer } from './transposer.ts';

const transposer = new Transposer();

/** What a thread of the transposition runs for each slice and each band. */
export default function run(request: TransposeRequest): TransposeResult {
  return transposer.run(request);
}

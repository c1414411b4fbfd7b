/**
 * An object of the release is not what its name and place promise: truncated, corrupted, or
 * foreign.
 */
export class ShardError extends Error {
  override readonly name = 'ShardError';
  /** The object: a file or a name in the store. */
  readonly object: string;
  /** Which part of it, such as a section tag, a row, or `header`. */
  readonly part: string;

  constructor(object: string, part: string, problem: string) {
    super(`${object}: ${part}: ${problem}`);
    this.object = object;
    this.part = part;
  }
}

/** Bytes that are not those that were written. A build over the same store writes them anew. */
export function damaged(
  object: string,
  part: string,
  problem = 'corrupted: checksum does not match',
): ShardError {
  return new ShardError(object, part, `${problem}; build the release again`);
}

/** Why a store did not give what was asked. */
export type StoreFailure =
  /** No object of that name. */
  | 'missing'
  /** There is an object of that name, but not of the recorded length or identity. */
  | 'changed'
  /** A conditional put lost: somebody else wrote first. */
  | 'conflict'
  /** The disk is full. */
  | 'full'
  /**
   * It answers, and says no: no right to it, another region. Of a bucket that may not be listed it
   * may stand for `missing`.
   */
  | 'refused'
  /** Anything else: network, a broken disk. */
  | 'unavailable';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly failure: StoreFailure;
  readonly object: string;

  constructor(failure: StoreFailure, object: string, problem: string, options?: ErrorOptions) {
    super(`${object}: ${problem}`, options);
    this.failure = failure;
    this.object = object;
  }
}

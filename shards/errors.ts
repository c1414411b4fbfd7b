/**
 * An object of the release does not match its recorded identity or format: truncated, corrupted, or
 * foreign.
 */
export class ShardError extends Error {
  override readonly name = 'ShardError';
  /** The object: a file, or a name in the store. */
  readonly object: string;
  /** The affected part, such as a section tag, a row, or `header`. */
  readonly part: string;

  constructor(object: string, part: string, problem: string) {
    super(`${object}: ${part}: ${problem}`);
    this.object = object;
    this.part = part;
  }
}

/**
 * Error for bytes that differ from what was written. A rebuild into the same store rewrites the
 * objects of a release; a new export rewrites those of exports.
 */
export function damaged(
  object: string,
  part: string,
  problem = 'corrupted: checksum does not match',
): ShardError {
  const remedy = object.startsWith('exports/')
    ? 'run tta export --store … again'
    : 'build the release again';
  return new ShardError(object, part, `${problem}; ${remedy}`);
}

/** The error for a failure to decode a part: a decoder's `RangeError` becomes a `ShardError`. */
export function decodingError(object: string, part: string, error: unknown): unknown {
  return error instanceof RangeError ? new ShardError(object, part, error.message) : error;
}

export type StoreFailure =
  | 'missing'
  /** An object by that name exists, but its length or identity is not the recorded one. */
  | 'changed'
  /** A conditional put lost: another writer came first. */
  | 'conflict'
  | 'full'
  /**
   * The server denied the request: no permission, or another region. For a bucket that may not be
   * listed, it can also mean `missing`.
   */
  | 'refused'
  /** Anything else: the network, a broken disk. */
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

/** Resolves to null if the object that is being read does not exist. */
export async function nullIfMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') return null;
    throw error;
  }
}

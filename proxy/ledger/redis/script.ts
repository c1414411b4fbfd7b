import { createHash } from 'node:crypto';

/** A Lua script and the type of its reply: one atomic step of the ledger. */
export interface Script<Reply> {
  readonly lua: string;
  readonly sha1: string;
  /** Whether its writes have to be on replicas before they count, if the ledger has any. */
  readonly isLasting: boolean;
  /** Carries the type of the reply for the compiler; never set. */
  readonly reply?: Reply;
}

/**
 * Joins parts into a script: shared ones first, then its own. A script may touch the keys it is
 * given; those of one account share a slot. Numbers above 2⁵³ do not occur. Lua formats a number of
 * more than 14 digits correctly only as an argument of `redis.call` or with an explicit format.
 */
export function script<Reply>(...parts: readonly string[]): Script<Reply> {
  const lua = parts.join('\n');
  return { lua, sha1: createHash('sha1').update(lua).digest('hex'), isLasting: true };
}

/** A script that writes nothing, or nothing whose loss matters. */
export function fleeting<Reply>(...parts: readonly string[]): Script<Reply> {
  return { ...script(...parts), isLasting: false };
}

/**
 * Prefix of the error reply of a script that started after its caller's deadline, before Redis's
 * time.
 */
export const LATE = 'LATE ';

/** Prefix of the error reply of a script that refuses its arguments. */
export const REFUSED = 'REFUSED ';

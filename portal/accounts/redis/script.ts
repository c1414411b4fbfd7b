import { createHash } from 'node:crypto';

/** A Lua script and the shape of what it answers: one step of the ledger, all of it or nothing. */
export interface Script<Reply> {
  readonly lua: string;
  readonly sha1: string;
  /** Whether what it writes has to be on replicas before it counts, where the ledger has any. */
  readonly isLasting: boolean;
  /** Only for the compiler: there is no such member. */
  readonly reply?: Reply;
}

/**
 * A script of several parts: what it shares with others, then its own. It may touch the keys it is
 * given; those of one account share a slot. Numbers above 2⁵³ do not occur; Lua writes one of more
 * than 14 digits rightly only as an argument of `redis.call` or by a format.
 */
export function script<Reply>(...parts: readonly string[]): Script<Reply> {
  const lua = parts.join('\n');
  return { lua, sha1: createHash('sha1').update(lua).digest('hex'), isLasting: true };
}

/** A script that writes nothing, or nothing that would be missed. */
export function fleeting<Reply>(...parts: readonly string[]): Script<Reply> {
  return { ...script(...parts), isLasting: false };
}

/** Reply of a script that started after its caller's deadline, with Redis's time. */
export const LATE = 'LATE ';

/** Error reply of a script asked for the impossible. */
export const REFUSED = 'REFUSED ';

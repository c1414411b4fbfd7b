import type { Outcome } from './operations.ts';

/** The reply of the writer thread to a group of changes. */
export type Reply = { readonly outcomes: readonly Outcome[] } | { readonly failure: Failure };

interface Failure {
  readonly message: string;
  readonly errcode?: number | undefined;
}

/**
 * Returns the reply for a failed group, without the error itself, which would lose its own
 * properties on the way.
 */
export function failureOf(error: unknown): Reply {
  const { message, errcode } = error as Failure;
  return { failure: { message, errcode } };
}

/** Returns the outcomes in a reply, or throws its failure. */
export function outcomesIn(reply: Reply): readonly Outcome[] {
  if ('outcomes' in reply) return reply.outcomes;
  throw Object.assign(new Error(reply.failure.message), reply.failure);
}

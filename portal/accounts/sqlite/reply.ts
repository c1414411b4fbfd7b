import type { Outcome } from './operations.ts';

/** The reply of another thread or process to a group of changes. */
export type Reply =
  | { readonly outcomes: readonly Outcome[] }
  | { readonly failure: { readonly message: string; readonly errcode?: number } };

/**
 * Returns the reply for a failed group, without the error itself, which would lose its own
 * properties on the way.
 */
export function failureOf(error: unknown): Reply {
  const { message, errcode } = error as Error & { errcode?: number };
  return { failure: { message, errcode } };
}

/** Returns the outcomes in a reply, or throws its failure. */
export function outcomesIn(reply: Reply): readonly Outcome[] {
  if ('outcomes' in reply) return reply.outcomes;
  throw Object.assign(new Error(reply.failure.message), reply.failure);
}

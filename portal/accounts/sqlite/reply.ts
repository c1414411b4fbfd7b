import type { Outcome } from './operations.ts';

/** The reply of another thread or process to a group of changes. */
export type Reply =
  | { readonly outcomes: readonly Outcome[] }
  | { readonly failure: { readonly message: string; readonly errcode?: number } };

/** The reply for a failed group: errors lose their own properties on the way. */
export function failureOf(error: unknown): Reply {
  const { message, errcode } = error as Error & { errcode?: number };
  return { failure: { message, errcode } };
}

/** The outcomes in a reply; throws its failure. */
export function outcomesIn(reply: Reply): readonly Outcome[] {
  if ('outcomes' in reply) return reply.outcomes;
  throw Object.assign(new Error(reply.failure.message), reply.failure);
}

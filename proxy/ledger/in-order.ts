import type { ApiKey, Grant, UsageDay } from './accounts.ts';

// Sort orders of an account's lists, the same on every ledger.

/** Sorts grants, oldest first. */
export function grantsInOrder(grants: readonly Grant[]): Grant[] {
  return [...grants].sort((a, b) => a.atMs - b.atMs || compare(a.cause, b.cause));
}

/** Sorts keys, oldest first. */
export function keysInOrder<Key extends ApiKey>(keys: readonly Key[]): Key[] {
  return [...keys].sort((a, b) => a.createdAtMs - b.createdAtMs || compare(a.id, b.id));
}

/** Sorts usage by day, key and route, and drops entries that were refunded entirely. */
export function usageInOrder(usage: readonly UsageDay[]): UsageDay[] {
  return usage
    .filter(({ requests }) => requests > 0)
    .sort(
      (a, b) => compare(a.day, b.day) || compare(a.keyId, b.keyId) || compare(a.route, b.route),
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

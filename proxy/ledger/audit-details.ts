import type { ApiKey, Grant, Membership } from './accounts.ts';
import type { NewSession } from './sessions.ts';

// Details of audit entries, worded the same on every ledger.

export function keyDetail({ prefix, label }: Pick<ApiKey, 'prefix' | 'label'>): string {
  return label ? `${prefix}…, ${label}` : `${prefix}…`;
}

export function grantDetail({ tokens, cause }: Grant): string {
  return `${tokens}, ${cause}`;
}

export function membershipDetail(membership: Membership | null): string {
  if (!membership) return 'none';
  const { status, untilMs, renewsAtMs } = membership;
  // `untilMs` of a renewing membership is some days after the renewal, to allow for a late payment;
  // it is not its expiry.
  if (renewsAtMs !== null) return `${status}, renews ${new Date(renewsAtMs).toISOString()}`;
  return untilMs ? `${status} until ${new Date(untilMs).toISOString()}` : status;
}

/** Detail of the entry that disables a new account; its owner did not make this change. */
export const STILL_DISABLED = 'as the account of the same address was when it was closed';

export function signInDetail({ client, address }: NewSession): string {
  return `${client}, ${address}`;
}

import type { ApiKey, Grant, Membership } from './accounts.ts';
import type { NewSession } from './sessions.ts';

// Details of audit entries: the same text on every ledger.

export function keyDetail({ prefix, label }: Pick<ApiKey, 'prefix' | 'label'>): string {
  return label ? `${prefix}…, ${label}` : `${prefix}…`;
}

export function grantDetail({ tokens, cause }: Grant): string {
  return `${tokens}, ${cause}`;
}

export function membershipDetail(membership: Membership | null): string {
  if (!membership) return 'none';
  const { status, untilMs, renewsAtMs } = membership;
  // A renewed membership lasts some days longer, to allow for a late payment; that is not its
  // expiry.
  if (renewsAtMs !== null) return `${status}, renews ${new Date(renewsAtMs).toISOString()}`;
  return untilMs ? `${status} until ${new Date(untilMs).toISOString()}` : status;
}

/** For an account that opens disabled: not a change by its owner. */
export const STILL_DISABLED = 'as the account of the same address was when it was closed';

export function signInDetail({ client, address }: NewSession): string {
  return `${client}, ${address}`;
}

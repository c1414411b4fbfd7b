import type { ApiKey, Grant, Membership } from './accounts.ts';
import type { NewSession } from './sessions.ts';

// The details of audit entries: the same words on every ledger.

export function keyDetail({ prefix, label }: Pick<ApiKey, 'prefix' | 'label'>): string {
  return label ? `${prefix}…, ${label}` : `${prefix}…`;
}

export function grantDetail({ tokens, cause }: Grant): string {
  return `${tokens}, ${cause}`;
}

export function membershipDetail(membership: Membership | null): string {
  if (!membership) return 'none';
  const { status, untilMs, renewsAtMs } = membership;
  // What is renewed holds some days longer, for a payment that comes late: nobody's end.
  if (renewsAtMs !== null) return `${status}, renews ${new Date(renewsAtMs).toISOString()}`;
  return untilMs ? `${status} until ${new Date(untilMs).toISOString()}` : status;
}

/** Of an account that opens disabled: no change of its owner, whoever opens it. */
export const STILL_DISABLED = 'as the account of the same address was when it was closed';

export function signInDetail({ client, address }: NewSession): string {
  return `${client}, ${address}`;
}

import type { Membership } from '../../responses.ts';
import { dateOf } from '../formats.ts';

export function membershipText({ status, renews_at, ends_at }: Membership): string {
  const at = renews_at ?? ends_at ?? null;
  const day = at === null ? null : dateOf(at);
  switch (status) {
    case 'active':
      return day ? `Renews on ${day}.` : 'It does not expire.';
    case 'ending':
      return day ? `Paid until ${day}; does not renew.` : 'It does not renew.';
    case 'past_due':
      return 'The last payment failed and will be retried. Please check your card.';
  }
}

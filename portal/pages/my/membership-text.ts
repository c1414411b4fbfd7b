import type { Membership } from '../../responses.ts';
import { dateOf } from '../parts/formats.ts';

/** The state of a membership as a sentence. */
export function membershipText({ status, renews_at, ends_at }: Membership): string {
  const at = renews_at ?? ends_at ?? null;
  const day = at === null ? null : dateOf(at);
  switch (status) {
    case 'active':
      return day ? `Renews on ${day}.` : 'It has no end.';
    case 'ending':
      return day ? `Paid until ${day}; not renewed.` : 'It is not renewed.';
    case 'past_due':
      return 'The last payment failed, and is tried again. Please check the card.';
  }
}

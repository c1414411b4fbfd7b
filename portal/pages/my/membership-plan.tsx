import type { Membership, PortalConfig } from '../../answers.ts';
import { manageBilling, subscribe } from '../api/portal.ts';
import { count } from '../parts/formats.ts';
import { Section } from '../parts/section.tsx';
import { membershipInWords } from './membership-in-words.ts';

/** What a membership gives, and how to begin or to manage it. */
export function MembershipPlan(props: {
  readonly plan: PortalConfig['plans']['membership'];
  readonly membership: Membership | null;
  /** Leads to a page of the payment processor; `null` where nothing can be paid. */
  readonly pay: ((askAddress: () => Promise<string>) => void) | null;
}) {
  const { plan, membership, pay } = props;
  return (
    <Section id="membership" title="Membership">
      <div class={`card ${membership ? 'card-accent' : ''}`}>
        <p class="price">
          ${plan.price_usd} <small>a {plan.interval}</small>
        </p>
        <ul class="plain-list">
          <li>{count(plan.tokens_per_month)} tokens each month</li>
          <li>isochrones and map tiles at no charge</li>
        </ul>
        {membership && <p>You are a member. {membershipInWords(membership)}</p>}
        {pay &&
          (membership?.portal_url ? (
            <button type="button" class="button" onClick={() => pay(manageBilling)}>
              Manage the membership
            </button>
          ) : membership ? null : (
            <button type="button" class="button button-main" onClick={() => pay(subscribe)}>
              Become a member
            </button>
          ))}
      </div>
    </Section>
  );
}

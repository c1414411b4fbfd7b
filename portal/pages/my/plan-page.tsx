import { useEffect, useState } from 'preact/hooks';
import type { Account, Membership, PortalConfig } from '../../responses.ts';
import { buyPack, manageBilling, portalConfig, subscribe } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { count } from '../formats.ts';
import { Notice } from '../parts/notice.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { useSession } from '../session/session.tsx';
import { membershipText } from './membership-text.ts';

function MembershipPlan(props: {
  readonly plan: PortalConfig['plans']['membership'];
  readonly membership: Membership | null;
  /** Opens a page of the payment processor. */
  readonly pay: (askAddress: () => Promise<string>) => void;
}) {
  const { plan, membership, pay } = props;
  return (
    <Section id="membership" title="Membership">
      <div class={`card ${membership ? 'card-accent' : ''}`}>
        <p class="price">
          ${plan.price_usd} <small>per {plan.interval}</small>
        </p>
        <ul class="plain-list">
          <li>{count(plan.tokens_per_month)} tokens each month</li>
          <li>free isochrones and map tiles</li>
        </ul>
        {membership && <p>You are a member. {membershipText(membership)}</p>}
        {membership?.portal_url ? (
          <button type="button" class="button" onClick={() => pay(manageBilling)}>
            Manage membership
          </button>
        ) : membership ? null : (
          <button type="button" class="button button-main" onClick={() => pay(subscribe)}>
            Become a member
          </button>
        )}
      </div>
    </Section>
  );
}

function TokenPacks(props: {
  readonly packs: PortalConfig['plans']['token_packs'];
  /** Opens a page of the payment processor. */
  readonly pay: (askAddress: () => Promise<string>) => void;
}) {
  const { packs, pay } = props;
  return (
    <Section id="packs" title="Token packs">
      <ul class="prices">
        {packs.map(({ id, tokens, price_usd }) => (
          <li class="card" key={id}>
            <h3>{count(tokens)} tokens</h3>
            <p class="price">${price_usd}</p>
            <button
              type="button"
              class="button"
              aria-label={`Buy ${count(tokens)} tokens`}
              onClick={() => pay(() => buyPack(id))}
            >
              Buy
            </button>
          </li>
        ))}
      </ul>
      <p class="quiet">One-time purchase. Tokens do not expire.</p>
    </Section>
  );
}

/** The membership and token packs. Payment itself takes place on the payment processor’s pages. */
export function PlanPage({ account }: { readonly account: Account }) {
  const { refresh } = useSession();
  const config = useLoaded(portalConfig);
  const [fault, setFault] = useState('');
  const [isLeaving, setLeaving] = useState(false);
  // A return from payment may have changed the balance.
  useEffect(() => void refresh(), [refresh]);

  const leaveFor = async (askAddress: () => Promise<string>) => {
    if (isLeaving) return;
    setLeaving(true);
    setFault('');
    try {
      location.assign(await askAddress());
    } catch (error) {
      if (error instanceof Error) setFault(error.message);
      setLeaving(false);
    }
  };
  const pay = (askAddress: () => Promise<string>) => void leaveFor(askAddress);
  return (
    <Page title="Plan" lead={`${count(account.tokens_remaining)} tokens left.`}>
      <Outcome of={new URLSearchParams(location.search).get('payment')} />
      {fault && <Notice kind="fault">{fault}</Notice>}
      <Shown of={config} what="the plans">
        {({ plans, membership_available }) =>
          membership_available ? (
            <>
              <MembershipPlan plan={plans.membership} membership={account.membership} pay={pay} />
              <TokenPacks packs={plans.token_packs} pay={pay} />
            </>
          ) : (
            <NothingSold membership={account.membership} />
          )
        }
      </Shown>
      <p class="quiet" role="status">
        {isLeaving && 'Opening the payment page …'}
      </p>
    </Page>
  );
}

/** Shown if nothing is sold; an operator may still have granted a membership. */
function NothingSold({ membership }: { readonly membership: Membership | null }) {
  return (
    <>
      {membership && <p>You are a member. {membershipText(membership)}</p>}
      <Notice kind="plain">
        This service does not sell memberships or token packs. Ask the operator for tokens.
      </Notice>
    </>
  );
}

function Outcome({ of: outcome }: { readonly of: string | null }) {
  if (outcome === 'done') {
    return (
      <Notice kind="good">Thank you. Tokens are added as soon as the payment is confirmed.</Notice>
    );
  }
  if (outcome === 'cancelled') return <Notice kind="plain">Nothing was purchased.</Notice>;
  return null;
}

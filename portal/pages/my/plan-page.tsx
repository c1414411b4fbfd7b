import { useEffect, useState } from 'preact/hooks';
import type { Account } from '../../answers.ts';
import { portalConfig } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { count } from '../parts/formats.ts';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { useSession } from '../session/session.tsx';
import { MembershipPlan } from './membership-plan.tsx';
import { TokenPacks } from './token-packs.tsx';

/** The membership and token packs. Payment itself is made at the payment processor’s pages. */
export function PlanPage({ account }: { readonly account: Account }) {
  const { refresh } = useSession();
  const config = useLoaded(portalConfig);
  const [fault, setFault] = useState('');
  const [isLeaving, setLeaving] = useState(false);
  // Who comes back from paying has more now.
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
        {({ plans, membership_available }) => (
          <>
            {!membership_available && (
              <Notice kind="plain">
                Membership and token packs are not available: this service takes no payments. Its
                operator can give tokens.
              </Notice>
            )}
            <MembershipPlan
              plan={plans.membership}
              membership={account.membership}
              pay={membership_available ? pay : null}
            />
            <TokenPacks packs={plans.token_packs} pay={membership_available ? pay : null} />
          </>
        )}
      </Shown>
      <p class="quiet" role="status">
        {isLeaving && 'Going to the payment page …'}
      </p>
    </Page>
  );
}

/** What became of a payment that somebody comes back from. */
function Outcome({ of: outcome }: { readonly of: string | null }) {
  if (outcome === 'done') {
    return (
      <Notice kind="good">Thank you. Tokens are added when the payment is confirmed: soon.</Notice>
    );
  }
  if (outcome === 'cancelled') return <Notice kind="plain">Nothing was bought.</Notice>;
  return null;
}

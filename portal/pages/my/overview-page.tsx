import { useEffect } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Account } from '../../responses.ts';
import { count } from '../formats.ts';
import { Page } from '../parts/page.tsx';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.tsx';
import { membershipText } from './membership-text.ts';
import { Usage } from './usage.tsx';

export function OverviewPage({ account }: { readonly account: Account }) {
  const { refresh } = useSession();
  // Refreshes, since the session data may predate recent usage.
  useEffect(() => void refresh(), [refresh]);
  const { tokens_remaining, membership } = account;
  return (
    <Page title="Overview">
      <dl class="figures">
        <div class="card">
          <dt>Tokens left</dt>
          <dd class="figure">{count(tokens_remaining)}</dd>
          <dd class="quiet">One token is one row of results.</dd>
        </div>
        <div class="card">
          <dt>Membership</dt>
          <dd class="figure">{membership ? 'Member' : 'None'}</dd>
          <dd class="quiet">
            {membership ? (
              membershipText(membership)
            ) : (
              <Link to={PAGE_PATHS.plan}>Plans and tokens</Link>
            )}
          </dd>
        </div>
      </dl>
      <Usage />
    </Page>
  );
}

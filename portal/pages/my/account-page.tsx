import { useState } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Account } from '../../responses.ts';
import { closeAccount } from '../api/portal.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { count } from '../parts/formats.ts';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { navigate } from '../router/router.ts';
import { useSession } from '../session/session.tsx';
import { ActivityList } from './activity-list.tsx';
import { Devices } from './devices.tsx';

/** Consequences of closing an account with a paid membership. */
function endsOf({ membership }: Account): string {
  return membership?.portal_url
    ? 'Your paid membership ends at once, and what is left of its time is not paid back. '
    : '';
}

/** Sessions, activity, and closing the account. */
export function AccountPage({ account }: { readonly account: Account }) {
  const { ended } = useSession();
  const [isClosing, setClosing] = useState(false);
  return (
    <Page title="Account" lead={`Signed in as ${account.email}.`}>
      <Devices />
      <ActivityList />
      <Section id="delete" title="Delete my account">
        <p>
          Your address, your sessions and your keys go at once, and with them{' '}
          {count(account.tokens_remaining)} tokens. {endsOf(account)}This cannot be taken back.
        </p>
        <p>
          <button type="button" class="button button-danger" onClick={() => setClosing(true)}>
            Delete my account …
          </button>
        </p>
      </Section>
      {isClosing && (
        <ConfirmDialog
          title="Delete this account?"
          action="Delete it for good"
          typed={account.email ?? undefined}
          onClose={() => setClosing(false)}
          onConfirm={async () => {
            await closeAccount();
            navigate(PAGE_PATHS.front);
            ended();
          }}
        >
          <p>
            All keys stop working now. {count(account.tokens_remaining)} tokens are lost, and a new
            account of this address begins without free tokens.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

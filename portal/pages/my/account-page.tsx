import { useState } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Account } from '../../responses.ts';
import { closeAccount } from '../api/portal.ts';
import { counted } from '../formats.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Page, Section } from '../parts/page.tsx';
import { navigate } from '../router/router.ts';
import { useSession } from '../session/session.tsx';
import { ActivityList } from './activity-list.tsx';
import { Devices } from './devices.tsx';

/** Consequences of closing an account with a paid membership. */
function endsOf({ membership }: Account): string {
  return membership?.portal_url
    ? 'Your paid membership ends immediately, and its remaining time is not refunded. '
    : '';
}

export function AccountPage({ account }: { readonly account: Account }) {
  const { ended } = useSession();
  const [isClosing, setClosing] = useState(false);
  return (
    <Page title="Account" lead={`Signed in as ${account.email}.`}>
      <Devices />
      <ActivityList />
      <Section id="delete" title="Delete my account">
        <p>
          This deletes your e-mail address, signs out every device, revokes all keys and forfeits
          your {counted(account.tokens_remaining, 'token')}. {endsOf(account)}This cannot be undone.
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
          action="Delete permanently"
          typed={account.email ?? undefined}
          onClose={() => setClosing(false)}
          onConfirm={async () => {
            await closeAccount();
            navigate(PAGE_PATHS.front);
            ended();
          }}
        >
          <p>
            All keys stop working immediately. Your {counted(account.tokens_remaining, 'token')} are
            lost, and a new account with this address{' '}
            {account.grant_withheld ? 'waits anew for its' : 'gets no'} free tokens.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

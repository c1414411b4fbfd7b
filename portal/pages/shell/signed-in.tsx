import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Account } from '../../responses.ts';
import { momentOf } from '../formats.ts';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { Link } from '../router/link.tsx';
import { navigate, usePath } from '../router/router.ts';
import { MY_PAGES } from '../router/routes.ts';
import { useSession } from '../session/session.tsx';

/** Page of a signed-in user with navigation; others are sent to sign-in. */
export function SignedIn(props: { readonly children: (account: Account) => ComponentChildren }) {
  const { visitor, refresh } = useSession();
  const path = usePath();
  const isAnonymous = visitor.state === 'anonymous';
  useEffect(() => {
    if (isAnonymous) navigate(`${PAGE_PATHS.signIn}?next=${path}`, { replace: true });
  }, [isAnonymous, path]);
  switch (visitor.state) {
    case 'anonymous':
    case 'unknown':
      return <p class="quiet waiting">Loading your account …</p>;
    case 'failed':
      return (
        <Page title="Accounts are unavailable">
          <Notice kind="fault">{visitor.error.message}</Notice>
          <button type="button" class="button" onClick={() => void refresh()}>
            Try again
          </button>
        </Page>
      );
    case 'signed-in':
      return (
        <div class="my">
          <nav class="my-nav" aria-label="Your account">
            <ul>
              {MY_PAGES.map(({ path: to, name }) => (
                <li key={to}>
                  <Link to={to}>{name}</Link>
                </li>
              ))}
            </ul>
          </nav>
          {visitor.account.disabled && (
            <Notice kind="fault">
              This account is disabled and its keys are refused. Contact the operator of this
              service.
            </Notice>
          )}
          {visitor.account.grant_withheld && (
            <Notice kind="plain">{delayInWords(visitor.account.grant_withheld)}</Notice>
          )}
          {props.children(visitor.account)}
        </div>
      );
  }
}

/** Why the free tokens of an account are delayed, and until when. */
function delayInWords({ detail, until }: NonNullable<Account['grant_withheld']>): string {
  return until === null ? detail : `${detail} They are due on ${momentOf(until)}.`;
}

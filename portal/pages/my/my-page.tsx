import { PAGE_PATHS } from '../../page-paths.ts';
import type { Account } from '../../responses.ts';
import { AccountPage } from './account-page.tsx';
import { KeysPage } from './keys-page.tsx';
import { OverviewPage } from './overview-page.tsx';
import { PlanPage } from './plan-page.tsx';
import { RequestPage } from './request-page.tsx';

export function MyPage({ path, account }: { readonly path: string; readonly account: Account }) {
  switch (path) {
    case PAGE_PATHS.keys:
      return <KeysPage />;
    case PAGE_PATHS.firstRequest:
      return <RequestPage />;
    case PAGE_PATHS.plan:
      return <PlanPage account={account} />;
    case PAGE_PATHS.account:
      return <AccountPage account={account} />;
    default:
      return <OverviewPage account={account} />;
  }
}

import { PAGE_PATHS } from '../../page-paths.ts';
import { Page } from '../parts/page.tsx';
import { Link } from '../router/link.tsx';

export function NotFoundPage() {
  return (
    <Page
      title="Page not found"
      lead="There is nothing at this address, not even within 30 minutes."
    >
      <p>
        <Link to={PAGE_PATHS.front}>Go to the home page</Link>
      </p>
    </Page>
  );
}

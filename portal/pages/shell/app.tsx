import { useEffect } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import { useApiAddress } from '../api/portal.ts';
import { FICTIONAL, isFictional } from '../api/release.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { FrontPage } from '../front/front-page.tsx';
import { onRequest } from '../parts/failed-script.tsx';
import { Page } from '../parts/page.tsx';
import { UnitsChoice } from '../parts/units.tsx';
import { Link } from '../router/link.tsx';
import { usePath } from '../router/router.ts';
import { useSession } from '../session/session.tsx';
import { SignInPage } from '../sign-in/sign-in-page.tsx';
import { Header } from './header.tsx';
import { SignedIn } from './signed-in.tsx';

export function App() {
  const path = usePath();
  const { visitor, refresh } = useSession();
  const isUnknown = visitor.state === 'unknown';
  useEffect(() => {
    if (isUnknown) void refresh();
  }, [isUnknown, refresh]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <CurrentPage key={path} path={path} />
      </main>
      <Footer />
    </>
  );
}

const MapPage = onRequest(
  'the map',
  async () => (await import('../map/shell/map-page.tsx')).MapPage,
  {
    isPage: true,
  },
);
const MyPage = onRequest('this page', async () => (await import('../my/my-page.tsx')).MyPage, {
  isPage: true,
});

function CurrentPage({ path }: { readonly path: string }) {
  switch (path) {
    case PAGE_PATHS.front:
      return <FrontPage />;
    case PAGE_PATHS.map:
      return <MapPage />;
    case PAGE_PATHS.signIn:
      return <SignInPage />;
    case PAGE_PATHS.overview:
    case PAGE_PATHS.keys:
    case PAGE_PATHS.firstRequest:
    case PAGE_PATHS.plan:
    case PAGE_PATHS.account:
      return <SignedIn>{(account) => <MyPage path={path} account={account} />}</SignedIn>;
    default:
      return <NotFoundPage />;
  }
}

function Footer() {
  const api = useApiAddress();
  const isInvented = useLoaded(isFictional).value;
  return (
    <footer class="site-foot">
      {isInvented && <p>{FICTIONAL}</p>}
      {isInvented === false && (
        <p>
          Streets and points of interest: ©{' '}
          <a href="https://www.openstreetmap.org/copyright">OpenStreetMap contributors</a>, ODbL.
          Blocks: US Census Bureau. Timetables: feeds of the transit agencies.
        </p>
      )}
      {api !== null && (
        <ul>
          <li>
            <a href={`${api}/docs`}>API reference</a>
          </li>
          <li>
            <a href={`${api}/openapi.json`}>OpenAPI document</a>
          </li>
        </ul>
      )}
      <UnitsChoice />
    </footer>
  );
}

function NotFoundPage() {
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

import { PLANS } from '../../../proxy/plans.ts';
import { PAGE_PATHS } from '../../page-paths.ts';
import { portalConfig } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { count } from '../formats.ts';
import { Page } from '../parts/page.tsx';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.tsx';
import { ExampleResponse } from './example-response.tsx';
import { LivePlace } from './live-place.tsx';
import { Prices } from './prices.tsx';
import { ReleaseFacts } from './release-facts.tsx';

/** The front page: a summary with a live response; below it, an example, prices and data. */
export function FrontPage() {
  const config = useLoaded(portalConfig);
  const { visitor } = useSession();
  const api = config.value?.api_url;
  const hasGrants = config.value?.signup_grants ?? true;
  return (
    <Page
      title="Travel-Time Access"
      class="front"
      heading="Travel times from every US census block"
      lead={LEAD}
    >
      <div class="actions hero-actions">
        {visitor.state === 'signed-in' ? (
          <Link to={PAGE_PATHS.overview} class="button button-main">
            My account
          </Link>
        ) : (
          <Link to={PAGE_PATHS.signIn} class="button button-main">
            Get an API key
          </Link>
        )}
        {api && (
          <a class="button" href={`${api}/docs`}>
            Read the API reference
          </a>
        )}
        <p class="quiet">
          {hasGrants && `${count(PLANS.free_grant.tokens)} free tokens to start. `}One token is one
          row of results.
        </p>
      </div>
      <LivePlace />
      <ExampleResponse />
      <Prices isSold={config.value?.membership_available ?? true} hasGrants={hasGrants} />
      <ReleaseFacts />
    </Page>
  );
}

const LEAD =
  'Minutes on foot, by bike and by public transit to the nearest shop, school, clinic, park or library, and to every point of interest within half an hour. One HTTP request, one JSON response.';

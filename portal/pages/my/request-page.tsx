import { codeIn, LANGUAGES, NO_KEY, type SampleRequest } from '../../../proxy/docs/code-samples.ts';
import type { Client, DataOf, Reply } from '../../client/src/index.ts';
import { PAGE_PATHS } from '../../page-paths.ts';
import { portalConfig } from '../api/portal.ts';
import { somePlace } from '../api/release.ts';
import { sampleOf } from '../api/sample-of.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.tsx';
import { useApi } from '../session/use-api.ts';
import { TryIt } from './try-it.tsx';

/**
 * The page of the first request, sent from here with the account’s tokens, or as code in four
 * languages with a key.
 */
export function RequestPage() {
  const { freshKey } = useSession();
  const api = useApi();
  const request = useLoaded(firstRequest);
  return (
    <Page
      title="First request"
      lead="Minutes on foot from one census block to the nearest point of interest of each type."
    >
      <Shown of={request} what="an example">
        {({ sample, send }) => (
          <>
            <Section id="try" title="Send it from this page">
              <TryIt url={sample.baseUrl + sample.path} send={() => send(api)} />
            </Section>
            <Section id="code" title="Send it from your program">
              {freshKey === null && (
                <p class="quiet">
                  Put your key in place of <code>{NO_KEY}</code>. Keys are shown only once; if you
                  no longer have yours, <Link to={PAGE_PATHS.keys}>create another</Link>.
                </p>
              )}
              <Tabs
                label="Language"
                tabs={LANGUAGES.map((name) => ({
                  name,
                  content: (
                    <CodeBlock
                      what={`${name} code`}
                      text={codeIn(name, { ...sample, key: freshKey ?? NO_KEY })}
                    />
                  ),
                }))}
              />
            </Section>
          </>
        )}
      </Shown>
    </Page>
  );
}

/** A request for a summary, for programs, and a function that sends it, for this page. */
interface FirstRequest {
  readonly sample: Omit<SampleRequest, 'key'>;
  send(api: Client): Promise<Reply<DataOf<'getBlockSummary' | 'getPointSummary'>>>;
}

/**
 * Returns a request for a summary that has rows: of the portal’s example block, or of the middle of
 * some place.
 */
async function firstRequest(): Promise<FirstRequest> {
  const { api_url: baseUrl, example_block: geoid } = await portalConfig();
  const mode = ['walk'] as const;
  if (geoid !== undefined) {
    const parameters = { geoid, mode };
    return {
      sample: sampleOf(baseUrl, 'getBlockSummary', parameters, 'results'),
      send: (client) => client.getBlockSummary(parameters),
    };
  }
  const place = await somePlace();
  if (place === undefined) throw new Error('This release has no places.');
  const parameters = { lat: place.lat, lon: place.lon, mode };
  return {
    sample: sampleOf(baseUrl, 'getPointSummary', parameters, 'results'),
    send: (client) => client.getPointSummary(parameters),
  };
}

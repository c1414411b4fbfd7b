import { useApiAddress } from '../../api/use-api-address.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { NO_KEY } from '../../parts/code-samples.ts';
import { Tabs } from '../../parts/tabs.tsx';
import type { MapRequest } from '../views/map-request.ts';
import { LANGUAGES, requestCode } from './request-code.ts';

/** The requests behind the map, as programs in some languages. */
export function RequestTabs({ requests }: { readonly requests: readonly MapRequest[] }) {
  const api = useApiAddress();
  if (requests.length === 0 || api === null) {
    return (
      <p class="quiet">
        Select a block, an origin, a POI or an area, or set a site, and the request is here as code
        for curl, TypeScript, Python and R.
      </p>
    );
  }
  return (
    <>
      {requests.map((request) => (
        <div key={request.name} class="request-code">
          <h3>{request.name}, as code</h3>
          <Tabs
            label={`Language of: ${request.name}`}
            tabs={LANGUAGES.map((name) => ({
              name,
              content: <CodeBlock what={`${name} code`} text={requestCode(request, name, api)} />,
            }))}
          />
        </div>
      ))}
      <p class="quiet">
        Put your key in place of <code>{NO_KEY}</code>.
      </p>
    </>
  );
}

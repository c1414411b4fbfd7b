import { codeIn, LANGUAGES, NO_KEY } from '../../../../proxy/docs/code-samples.ts';
import { EMBED_PATH, PAGE_PATHS } from '../../../page-paths.ts';
import { useApiAddress } from '../../api/portal.ts';
import { sampleOf } from '../../api/sample-of.ts';
import { CodeBlock, CopyButton } from '../../parts/code-block.tsx';
import { FileButton } from '../../parts/file-button.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useMap } from '../state/map-context.ts';
import { writeMapState } from '../state/map-state.ts';
import { FREE_VIEWS } from '../views/free-views.ts';
import type { MapRequest } from '../views/map-view.ts';
import { type PictureParts, pngPicture, svgPicture } from './make-picture.tsx';

export interface ShareProps {
  readonly requests: readonly MapRequest[];
  readonly picture: PictureParts;
}

/**
 * Ways to share what the map shows: its address, a picture, its requests, and a map for other
 * pages.
 */
export function ShareWays({ requests, picture }: ShareProps) {
  const { state } = useMap();
  const { title, viewed } = picture;
  const fragment = writeMapState(state);
  const name = fileName(title, viewed.catalogue.release);
  const png = () => pngPicture(picture);
  const svg = async () => new Blob([await svgPicture(picture)], { type: 'image/svg+xml' });
  return (
    <>
      <p class="share-link">
        <span>A link to this map, as it is now</span>
        <CopyButton
          name="Copy link"
          text={`${location.origin}${PAGE_PATHS.map}${fragment}`}
          what="link to this map"
        />
      </p>
      <p class="take-along">
        <span>Image, with legend and sources</span>
        <FileButton label="PNG" name={`${name}.png`} make={png} />
        <FileButton label="SVG" name={`${name}.svg`} make={svg} />
        <button type="button" class="button" onClick={() => print()}>
          Print
        </button>
      </p>
      <RequestTabs requests={requests} />
      {FREE_VIEWS[state.view] ? (
        <CodeBlock text={frameOf(title, fragment)} what="Embed: HTML for your own page" />
      ) : (
        <p class="quiet">{FREE_NAMES} can be embedded in other pages: they need no key.</p>
      )}
    </>
  );
}

/** Names of the free views: `“Nearest” and “Basket”`. */
const FREE_NAMES = Object.values(FREE_VIEWS)
  .map(({ name }) => `“${name}”`)
  .join(' and ');

/** Name of a picture's file: `walking-time-to-the-nearest-library-demo`. */
function fileName(title: string, release: string): string {
  return `${title} ${release}`.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
}

function frameOf(title: string, fragment: string): string {
  const address = `${location.origin}${EMBED_PATH}${fragment}`;
  return `<iframe src="${escaped(address)}"
  title="${escaped(title)}"
  width="100%" height="560" loading="lazy" style="border: 0"></iframe>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** The requests behind the map, as programs in some languages. */
function RequestTabs({ requests }: { readonly requests: readonly MapRequest[] }) {
  const api = useApiAddress();
  if (requests.length === 0 || api === null) {
    return (
      <p class="quiet">
        Select something on the map to get the request as curl, TypeScript, Python or R.
      </p>
    );
  }
  return (
    <>
      {requests.map(({ name, operation, parameters, rows }) => (
        <div key={name} class="request-code">
          <h3>{name}, as code</h3>
          <Tabs
            label={`Language of: ${name}`}
            tabs={LANGUAGES.map((language) => ({
              name: language,
              content: (
                <CodeBlock
                  what={`${language} code`}
                  text={codeIn(language, {
                    ...sampleOf(api, operation, parameters, rows),
                    key: NO_KEY,
                  })}
                />
              ),
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

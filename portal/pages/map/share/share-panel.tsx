import { EMBED_PATH, PAGE_PATHS } from '../../../page-paths.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { type MapState, writeMapState } from '../state/map-state.ts';

/** Ways to pass on what the map shows: its address, and a map for other pages. */
export function SharePanel(props: { readonly title: string; readonly state: MapState }) {
  const { title, state } = props;
  const fragment = writeMapState(state);
  return (
    <details class="share">
      <summary>Share</summary>
      <p class="share-link">
        <span>A link to this map, as it is now</span>
        <CopyButton
          name="Copy link"
          text={`${location.origin}${PAGE_PATHS.map}${fragment}`}
          what="link to this map"
        />
      </p>
      {state.view === 'nearest' ? (
        <CodeBlock text={frameOf(title, fragment)} what="Embed: HTML for your own page" />
      ) : (
        <p class="quiet">“Nearest” can be embedded in other pages: it needs no key.</p>
      )}
    </details>
  );
}

/** An iframe of the map. */
function frameOf(title: string, fragment: string): string {
  const address = `${location.origin}${EMBED_PATH}${fragment}`;
  return `<iframe src="${escaped(address)}"
  title="${escaped(title)}"
  width="100%" height="560" loading="lazy" style="border: 0"></iframe>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

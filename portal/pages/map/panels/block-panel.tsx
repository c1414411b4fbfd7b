import { useRef, useState } from 'preact/hooks';
import type { DataOf, Mode, Reply } from '../../../client/src/index.ts';
import { explained } from '../../api/fault.ts';
import { useApi } from '../../api/use-api.ts';
import { count, counted } from '../../parts/formats.ts';
import { Notice } from '../../parts/notice.tsx';
import { Section } from '../../parts/section.tsx';
import { type Catalogue, mapTitle, modeName } from '../catalogue.ts';
import type { TileBlock } from '../drawing/draw-map.ts';

type Summary = Reply<DataOf<'getBlockSummary'>>;

type Outcome =
  | { readonly state: 'busy' }
  | { readonly state: 'here'; readonly summary: Summary }
  | { readonly state: 'failed'; readonly message: string };

/** The selected block: its GEOID, and with a key the minutes to the nearest of each type. */
export function BlockPanel(props: {
  readonly catalogue: Catalogue;
  readonly mode: Mode;
  readonly geoid: string | null;
  /** As its tile has it, if the map has shown it. */
  readonly block: TileBlock | null;
  readonly apiKey: string;
  readonly onKey: (key: string) => void;
  readonly onClose: () => void;
}) {
  const { catalogue, mode, geoid, block, apiKey, onKey, onClose } = props;
  // Kept while the page is open: nothing is paid for twice.
  const kept = useRef(new Map<string, Outcome>());
  const [, redraw] = useState(0);
  const api = useApi(apiKey);
  if (geoid === null) return null;

  const question = `${geoid} ${mode}`;
  const outcome = kept.current.get(question);
  const settle = (next: Outcome) => {
    kept.current.set(question, next);
    redraw((turn) => turn + 1);
  };
  const request = async (event: Event) => {
    event.preventDefault();
    if (outcome?.state === 'busy') return;
    if (apiKey === '') return settle({ state: 'failed', message: 'Enter your API key first.' });
    settle({ state: 'busy' });
    try {
      settle({ state: 'here', summary: await api.getBlockSummary({ geoid, mode: [mode] }) });
    } catch (error) {
      settle({ state: 'failed', message: explained(error) });
    }
  };
  const street = mode === 'bike' ? 'bike' : 'walk';
  const isUnlinked = block?.unlinked.includes(street) ?? false;
  return (
    <Section
      id="block"
      title="Selected block"
      class="map-block"
      aside={
        <button type="button" class="button button-small" onClick={onClose}>
          Close
        </button>
      }
    >
      <dl class="block-facts">
        <div>
          <dt>GEOID</dt>
          <dd class="mono">{geoid}</dd>
        </div>
        {block?.population != null && (
          <div>
            <dt>People</dt>
            <dd>{count(block.population)}</dd>
          </div>
        )}
      </dl>
      {isUnlinked && <p class="quiet">No street near for this mode: its minutes are not known.</p>}
      {outcome?.state === 'here' ? (
        <Nearest catalogue={catalogue} mode={mode} summary={outcome.summary} />
      ) : (
        <form class="block-form" onSubmit={(event) => void request(event)}>
          <label for="map-key">API key</label>
          <input
            id="map-key"
            class="mono"
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            placeholder="ta_live_…"
            value={apiKey}
            aria-describedby="map-key-note"
            onInput={(event) => onKey(event.currentTarget.value.trim())}
          />
          <p id="map-key-note" class="quiet">
            It stays in this page and is forgotten when you leave. Price: a token for each type
            within 30 minutes, at most {counted(catalogue.typeNames.size, 'token')}.
          </p>
          <button
            type="submit"
            class="button button-main"
            aria-disabled={outcome?.state === 'busy'}
          >
            {outcome?.state === 'busy' ? 'Loading …' : `Minutes from here: ${modeName(mode)}`}
          </button>
          {outcome?.state === 'failed' && <Notice kind="fault">{outcome.message}</Notice>}
        </form>
      )}
    </Section>
  );
}

function Nearest(props: {
  readonly summary: Summary;
  readonly catalogue: Catalogue;
  readonly mode: string;
}) {
  const { catalogue, mode } = props;
  const { data, tokens } = props.summary;
  const { typeNames } = catalogue;
  const rows = data.results.toSorted((a, b) => a.travel_time - b.travel_time);
  const reached = new Set(rows.map(({ dest_type_id }) => dest_type_id));
  const missing = [...typeNames].filter(([id]) => !reached.has(id)).map(([, name]) => name);
  const isUnrouted = data.unrouted !== undefined && data.unrouted.length > 0;
  return (
    <div role="status" class="block-nearest">
      <p class="quiet">
        {/* A member pays nothing, and is not told a balance. */}
        {tokens.remaining === null
          ? 'Nothing charged.'
          : `${counted(tokens.charged, 'token')} charged, ${counted(tokens.remaining, 'token')} left.`}
      </p>
      {rows.length > 0 && (
        <table class="nearest">
          <caption class="unseen">{mapTitle(mode, 'of each type')}</caption>
          <tbody>
            {rows.map(({ dest_type_id, travel_time }) => (
              <tr key={dest_type_id}>
                <th scope="row">{typeNames.get(dest_type_id) ?? `type ${dest_type_id}`}</th>
                <td class="number">{travel_time.toFixed(1)} min</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isUnrouted ? (
        <p class="quiet">No street near for this mode: the minutes are not known.</p>
      ) : (
        missing.length > 0 && <p class="quiet">Not within 30 minutes: {missing.join(', ')}.</p>
      )}
    </div>
  );
}

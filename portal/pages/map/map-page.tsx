import { useMemo, useState } from 'preact/hooks';
import { useApi } from '../api/use-api.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { dayMonthYear } from '../parts/formats.ts';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { useSession } from '../session/session.tsx';
import { type Catalogue, type MapType, mapCatalogue, mapTitle, modeName } from './catalogue.ts';
import type { TileBlock } from './drawing/draw-map.ts';
import { MapView } from './drawing/map-view.tsx';
import { useColourScheme } from './drawing/use-colour-scheme.ts';
import { BlockPanel } from './panels/block-panel.tsx';
import { Legend } from './panels/legend.tsx';
import { type MapState, useMapState } from './state/map-state.ts';

/** The first map: walks to grocery stores. */
const FIRST_MODE = 'walk';
const FIRST_TYPE = 101;

/** Travel times of the release on a map: free, and without a key. */
export function MapPage() {
  const api = useApi();
  const catalogue = useLoaded(() => mapCatalogue(api));
  return (
    <Page title="Map" class="map-page" heading="Travel times on a map">
      <Shown of={catalogue} what="the map">
        {(loaded) =>
          loaded === null ? (
            <Notice kind="plain">
              This release was built without map tiles, so there is nothing to draw. The API has its
              times.
            </Notice>
          ) : (
            <Explorer catalogue={loaded} reload={catalogue.reload} />
          )
        }
      </Shown>
    </Page>
  );
}

function Explorer(props: { readonly catalogue: Catalogue; readonly reload: () => Promise<void> }) {
  const { catalogue, reload } = props;
  const { freshKey } = useSession();
  const [state, change] = useMapState();
  const scheme = useColourScheme();
  const [key, setKey] = useState(freshKey ?? '');
  const [block, setBlock] = useState<TileBlock | null>(null);
  const [attempt, setAttempt] = useState(0);
  const { mode, type, bandsUrl, doubts } = chosenOf(catalogue, state);
  const shown = useMemo(() => ({ bandsUrl, mode }), [bandsUrl, mode]);
  const title = mapTitle(mode, type.name);
  return (
    <div class="map-parts">
      <div class="map-choices">
        <label class="field">
          <span>Mode</span>
          <select
            value={mode}
            onChange={(event) => change({ mode: event.currentTarget.value, type: type.id })}
          >
            {catalogue.modes.map((one) => (
              <option key={one} value={one}>
                {modeName(one)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>To the nearest</span>
          <select
            value={type.id}
            onChange={(event) => change({ mode, type: Number(event.currentTarget.value) })}
          >
            <TypeOptions types={catalogue.types} />
          </select>
        </label>
        {doubts.map((doubt) => (
          <Notice key={doubt} kind="plain">
            {doubt}
          </Notice>
        ))}
      </div>
      <MapView
        key={`${attempt} ${catalogue.blocksUrl}`}
        title={title}
        blocksUrl={catalogue.blocksUrl}
        baseMap={catalogue.baseMap}
        bounds={catalogue.bounds}
        view={state.view}
        shown={shown}
        scheme={scheme}
        chosen={state.block}
        onMoved={(view) => change({ mode, type: type.id, view })}
        onBlock={(found) => {
          setBlock(found);
          change({ mode, type: type.id, block: found?.geoid ?? null });
        }}
        onRetry={() => void reload().then(() => setAttempt(attempt + 1))}
      />
      <div class="map-side">
        <section aria-labelledby="legend">
          <h2 id="legend">{title}</h2>
          {mode === 'transit' && (
            <p class="quiet">
              10th-percentile door-to-door time, departures 8:00–9:00 on a weekday.
            </p>
          )}
          <Legend scheme={scheme} baseMap={catalogue.baseMap} />
        </section>
        <BlockPanel
          catalogue={catalogue}
          mode={mode}
          geoid={state.block}
          block={block?.geoid === state.block ? block : null}
          apiKey={key}
          onKey={setKey}
          onClose={() => change({ block: null })}
        />
        <p class="quiet">
          Release {catalogue.release}. Data of{' '}
          {catalogue.dates.map(({ name, day }) => `${dayMonthYear(day)} (${name})`).join(', ')}. ©{' '}
          <a href="https://www.openstreetmap.org/copyright">OpenStreetMap contributors</a>, US
          Census Bureau. Drawn by <a href="https://maplibre.org/">MapLibre</a>.
        </p>
      </div>
      <p role="status" class="unseen">
        {state.block === null ? title : `${title}. Block ${state.block} is selected.`}
      </p>
    </div>
  );
}

function TypeOptions({ types }: { readonly types: readonly MapType[] }) {
  const groups = [...new Set(types.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => {
        const options = types
          .filter((type) => type.group === group)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ));
        return group === null ? (
          options
        ) : (
          <optgroup key={group} label={group}>
            {options}
          </optgroup>
        );
      })}
    </>
  );
}

/** The part of a state that this release has, as the state may be of another one; and how it differs. */
function chosenOf(catalogue: Catalogue, state: MapState) {
  const { modes, types } = catalogue;
  const mode = modes.find((one) => one === state.mode) ?? first(modes, (one) => one === FIRST_MODE);
  const isMapped = ({ id }: MapType) => catalogue.bandsUrl(mode, id) !== undefined;
  const type =
    types.find((one) => one.id === state.type && isMapped(one)) ??
    first(types.filter(isMapped), ({ id }) => id === FIRST_TYPE);
  const doubts: string[] = [];
  if (state.mode !== null && state.mode !== mode) {
    doubts.push(
      `The address has a mode that this release lacks. Shown instead: ${modeName(mode)}.`,
    );
  }
  if (state.type !== null && state.type !== type.id) {
    doubts.push(`The address has a type that this release lacks. Shown instead: ${type.name}.`);
  }
  return { mode, type, bandsUrl: catalogue.bandsUrl(mode, type.id)!, doubts };
}

/** The first that is preferred, or the first. */
function first<T>(all: readonly T[], isPreferred: (one: T) => boolean): T {
  return all.find(isPreferred) ?? all[0];
}

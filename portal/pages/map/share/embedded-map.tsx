import '../../styles/map.css';
import '../../styles/embed.css';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { PAGE_PATHS } from '../../../page-paths.ts';
import { keylessClient } from '../../api/clients.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Notice } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { useBasket } from '../blocks/use-basket.ts';
import { type Catalogue, mapCatalogue } from '../catalogue.ts';
import { dataDates } from '../data-dates.ts';
import type { DrawnMap } from '../drawing/draw-map.ts';
import { prefetchMapLibre } from '../drawing/map-libre.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { MapStage } from '../map-stage.tsx';
import { basketSentence, criterionName } from '../panels/basket-sentence.ts';
import { PercentileNote } from '../panels/percentile-note.tsx';
import { Swatches } from '../panels/swatches.tsx';
import { choiceOf } from '../state/choice.ts';
import { writeMapState } from '../state/map-state.ts';
import { useMapState } from '../state/use-map-state.ts';
import { basketView } from '../views/basket.ts';
import { FREE_VIEWS } from '../views/free-views.ts';
import { nearestView } from '../views/nearest.ts';

/**
 * The map for pages of other sites: a view that costs nothing, its legend, and a link to the whole
 * map. It has no session.
 */
export function EmbeddedMap() {
  const catalogue = useLoaded(() => mapCatalogue(keylessClient));
  useEffect(prefetchMapLibre, []);
  return (
    <main class="embed map-page">
      {catalogue.state === 'here' && catalogue.value !== null ? (
        <FreeMap catalogue={catalogue.value} reload={catalogue.reload} />
      ) : (
        <Shown of={catalogue} what="the map">
          {() => <Notice kind="plain">This release was built without map tiles.</Notice>}
        </Shown>
      )}
    </main>
  );
}

function FreeMap(props: { readonly catalogue: Catalogue; readonly reload: () => Promise<void> }) {
  const { catalogue, reload } = props;
  const [{ state, faults }, change] = useMapState();
  const scheme = useColourScheme();
  const drawn = useRef<DrawnMap>(null);
  const choice = useMemo(() => choiceOf(catalogue, state), [catalogue, state]);
  const { bandsUrl } = choice;
  const free = FREE_VIEWS[state.view];
  const view = free ?? nearestView;
  const criteria = view === basketView ? choice.basket : NONE;
  const basket = useBasket(keylessClient, state.position, catalogue.bounds, criteria);
  const inView = basket.state === 'here' ? basket.view : null;
  const shown = useMemo(
    () => view.shown(state, choice, { ...NOTHING_LOADED, basket: inView }),
    [view, bandsUrl, choice.mode, state.basketBy, inView?.blocks, inView?.basket],
  );
  const outlines = useMemo(() => ({ selected: state.block, a: null, b: null }), [state.block]);
  const title = view.title(state, choice, null);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <>
      <MapStage
        key={catalogue.blocksUrl}
        drawn={drawn}
        isEmbedded
        blocksUrl={catalogue.blocksUrl}
        bandsUrl={bandsUrl}
        baseMap={catalogue.baseMap}
        bounds={catalogue.bounds}
        position={state.position}
        shown={shown}
        scheme={scheme}
        outlines={outlines}
        markers={NONE}
        pointed={null}
        onMoved={(position) => change({ position })}
        onBlock={(block) => change({ block: block?.geoid ?? null })}
        onMarker={() => {}}
        onPointed={() => {}}
        onRetry={() => void reload()}
      />
      <section class="embed-legend" aria-labelledby="embed-title">
        <h1 id="embed-title">{title}</h1>
        <PercentileNote modes={view.modes(choice)} />
        {[...faults, ...choice.faults].map((fault) => (
          <p key={fault} class="quiet">
            {fault}
          </p>
        ))}
        {free === undefined && (
          <p class="quiet">
            The view of this link costs tokens. Shown instead: minutes to the nearest.
          </p>
        )}
        {criteria.length > 0 && (
          <>
            <p>{criteria.map((one) => criterionName(catalogue, one)).join('; ')}.</p>
            <p role="status">{basketSentence(basket, catalogue)}</p>
          </>
        )}
        <Swatches entries={view.legend(state, choice, catalogue.baseMap, scheme)} />
        <p class="embed-facts">
          {dataDates(catalogue)}{' '}
          <a href={`${PAGE_PATHS.map}${writeMapState(state)}`} target="_blank" rel="noopener">
            Open the whole map
          </a>
        </p>
      </section>
    </>
  );
}

const NONE = [] as const;

const NOTHING_LOADED = { a: null, b: null, reach: null, comparison: null, catchment: null };

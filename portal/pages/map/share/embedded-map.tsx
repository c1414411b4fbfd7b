import '../../styles/map.css';
import '../../styles/embed.css';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { PAGE_PATHS } from '../../../page-paths.ts';
import { keylessClient } from '../../api/clients.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Notice } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { type Catalogue, mapCatalogue, mapTitle } from '../catalogue.ts';
import type { DrawnMap } from '../drawing/draw-map.ts';
import { prefetchMapLibre } from '../drawing/map-libre.ts';
import { MapStage } from '../drawing/map-stage.tsx';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { nearestSwatches } from '../panels/legend-swatches.ts';
import { PercentileNote } from '../panels/percentile-note.tsx';
import { Swatches } from '../panels/swatches.tsx';
import { choiceOf } from '../state/choice.ts';
import { writeMapState } from '../state/map-state.ts';
import { useMapState } from '../state/use-map-state.ts';
import { dataDates } from './data-dates.ts';

/**
 * The map for pages of other sites: minutes to the nearest, its legend, and a link to the whole
 * map. It has no session, and shows no view that costs tokens.
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
  const { mode, type, bandsUrl } = choice;
  const shown = useMemo(
    () => ({ of: 'bands', bandsUrl, modes: [mode] }) as const,
    [bandsUrl, mode],
  );
  const outlines = useMemo(() => ({ selected: state.block, a: null, b: null }), [state.block]);
  const title = mapTitle(mode, type.name);
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
        <PercentileNote modes={[mode]} />
        {[...faults, ...choice.faults].map((fault) => (
          <p key={fault} class="quiet">
            {fault}
          </p>
        ))}
        {state.view !== 'nearest' && (
          <p class="quiet">Frames show minutes to the nearest only. The whole map has the rest.</p>
        )}
        <Swatches entries={nearestSwatches(catalogue.baseMap, scheme)} />
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

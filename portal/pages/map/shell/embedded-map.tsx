import { type MapView, titleOf, type Viewed } from '../views/map-view.ts';
import '../../styles/map.css';
import '../../styles/embed.css';
import { useEffect, useRef } from 'preact/hooks';
import { PAGE_PATHS } from '../../../page-paths.ts';
import { FICTIONAL } from '../../api/release.ts';
import { useAreaBlocks } from '../blocks/area-blocks.ts';
import { useInView } from '../blocks/use-in-view.ts';
import { dataDates } from '../catalogue/catalogue.ts';
import type { DrawnMap } from '../drawing/draw-map.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { OFFERED } from '../paid/paid-request.ts';
import { Swatches } from '../panels/legend.tsx';
import { TransitNote } from '../panels/words.tsx';
import { useMap } from '../state/map-context.ts';
import { writeMapState } from '../state/map-state.ts';
import { basketView, criterionName } from '../views/basket/basket-view.ts';
import { FREE_VIEWS } from '../views/free-views.ts';
import { nearestView } from '../views/nearest/nearest-view.tsx';
import { MapOfRelease } from './map-of-release.tsx';
import { MapStage } from './map-stage.tsx';
import { usePicture } from './use-picture.ts';

/**
 * The map for pages of other sites: a view that costs nothing, its legend, and a link to the whole
 * map. It has no session.
 */
export function EmbeddedMap() {
  return (
    <main class="embed map-page">
      <MapOfRelease>
        <FreeMap />
      </MapOfRelease>
    </main>
  );
}

function FreeMap() {
  const { catalogue, state, choice, change } = useMap();
  const scheme = useColourScheme();
  const drawn = useRef<DrawnMap>(null);
  const view = FREE_VIEWS[state.view] ?? nearestView;
  const area = useAreaBlocks(state.area);
  const inView = useInView(view.measure, area);
  const viewed = { ...NOTHING_LOADED, inView, area, catalogue, state, choice, scheme };
  const picture = usePicture(view, viewed);
  const title = titleOf(view, viewed);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <>
      <MapStage
        drawn={drawn}
        isEmbedded
        {...picture}
        legend={NONE}
        minutesOf={(geoid) => view.minutesOf(viewed, geoid)}
        markers={NONE}
        pointed={null}
        events={{ ...NO_EVENTS, onBlock: (block) => change({ block: block?.geoid ?? null }) }}
      />
      <Legend view={view} viewed={viewed} />
    </>
  );
}

function Legend({ view, viewed }: { readonly view: MapView; readonly viewed: Viewed }) {
  const { faults } = useMap();
  const { catalogue, state, choice } = viewed;
  return (
    <section class="embed-legend" aria-labelledby="embed-title">
      <h1 id="embed-title">{view.title(viewed)}</h1>
      <TransitNote modes={view.modes(choice)} />
      {faults.map((fault) => (
        <p key={fault} class="quiet">
          {fault}
        </p>
      ))}
      {FREE_VIEWS[state.view] === undefined && (
        <p class="quiet">
          The view of this link costs tokens. Shown instead: time to the nearest place.
        </p>
      )}
      {view === basketView && (
        <p>{choice.basket.map((one) => criterionName(catalogue, one)).join('; ')}.</p>
      )}
      <p role="status">{view.summary?.(viewed)}</p>
      <Swatches entries={view.legend(viewed)} />
      <p class="embed-facts">
        {catalogue.isFictional && `${FICTIONAL} `}
        {dataDates(catalogue)}{' '}
        <a href={`${PAGE_PATHS.map}${writeMapState(state)}`} target="_blank" rel="noopener">
          Open the whole map
        </a>
      </p>
    </section>
  );
}

const NONE = [] as const;

const NOTHING_LOADED = {
  requests: { outcomeOf: () => OFFERED },
  mostSites: null,
  poiName: null,
  profile: null,
} as const;

/** There are no markers to press. */
const NO_EVENTS = {
  onMarker() {},
  onPointed() {},
  onMarkerMoved() {},
  onMarkerRemoved() {},
};

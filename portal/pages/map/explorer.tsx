import { useMemo, useRef, useState } from 'preact/hooks';
import { Notice } from '../parts/notice.tsx';
import { useApi } from '../session/use-api.ts';
import { useBasket } from './blocks/use-basket.ts';
import type { Catalogue } from './catalogue.ts';
import { dataDates } from './data-dates.ts';
import type { DrawnMap, TileBlock } from './drawing/draw-map.ts';
import { useColourScheme } from './drawing/use-colour-scheme.ts';
import { Switch } from './layout/choices.tsx';
import { Sheet } from './layout/sheet.tsx';
import { MapStage } from './map-stage.tsx';
import { markersOf, poiOf, siteOf } from './markers.ts';
import type { Criterion } from './measures/basket.ts';
import { catchmentOf } from './paid/catchment-request.ts';
import { KeyDialog } from './paid/key-dialog.tsx';
import type { FoundPoi } from './paid/poi-search.ts';
import { profileRequest } from './paid/profile-request.ts';
import type { SitesQuery } from './paid/sites-request.ts';
import { type PaidRequests, resultOf, usePaidRequests } from './paid/use-paid-requests.ts';
import { BlockPanel } from './panels/block-panel.tsx';
import { PERCENTILE } from './panels/names.ts';
import type { ViewProps } from './panels/view-props.ts';
import { MapSearch } from './search/map-search.tsx';
import { SharePanel } from './share/share-panel.tsx';
import { type Choice, choiceOf } from './state/choice.ts';
import { type MapState, VIEWS } from './state/map-state.ts';
import type { Point } from './state/point.ts';
import { type Site, withMoved, without, withSite } from './state/sites.ts';
import { useMapState } from './state/use-map-state.ts';
import { usePicture } from './use-picture.ts';
import { MAP_VIEWS } from './views/map-views.ts';

const VIEW_NAMES = VIEWS.map((view) => [view, MAP_VIEWS[view].name] as const);

const NO_CRITERIA: readonly Criterion[] = [];

/**
 * Initial query of sites. Its direction does not follow that of a reach: people mostly travel to
 * sites.
 */
const SITES_BY: Omit<SitesQuery, 'mode'> = { direction: 'to', weight: 'people', choose: 3 };

/** The map and the panel beside it. */
export function Explorer(props: {
  readonly catalogue: Catalogue;
  readonly reload: () => Promise<void>;
}) {
  const { catalogue, reload } = props;
  const [{ state, faults }, change] = useMapState();
  const scheme = useColourScheme();
  const requests = usePaidRequests();
  const [block, setBlock] = useState<TileBlock | null>(null);
  const [found, setFound] = useState<FoundPoi | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const drawnMap = useRef<DrawnMap>(null);
  const [setsCandidates, setSetsCandidates] = useState(false);
  const [sitesQuery, setSitesQuery] = useState(SITES_BY);
  const choice = useMemo(() => choiceOf(catalogue, state), [catalogue, state]);
  const basket = useBasket(
    useApi(),
    state.position,
    catalogue.bounds,
    state.view === 'basket' ? choice.basket : NO_CRITERIA,
  );
  const catchment = useMemo(
    () => (state.poi === null ? null : catchmentOf(requests, state.poi, choice.mode)),
    [state.poi, choice.mode, requests.changes],
  );
  const picture = usePicture(state, choice, requests, basket, catchment);
  const profile = profileOf(catalogue, state, choice, requests);
  const { origin, poi, sites, view } = state;
  const { Panel, title, legend, modes, requests: requestsOf } = MAP_VIEWS[view];
  const setSites = (next: readonly Site[]) => change({ sites: next });
  const named = [found, ...(profile?.nearest.values() ?? []), catchment?.poi ?? null];
  const poiName = poi === null ? null : nameOf(poi, named);
  const markers = useMemo(
    () => markersOf(state, poiName, { profile, found }),
    [view, origin, poi, poiName, profile, found, sites],
  );
  const parts: ViewProps = {
    catalogue,
    state,
    choice,
    change,
    requests,
    scheme,
    poiName,
    basket,
    catchment,
    comparison: picture.comparison,
    sitesQuery: { ...sitesQuery, mode: choice.mode },
    onSitesQuery: (part) => setSitesQuery({ ...sitesQuery, ...part }),
    setsCandidates,
    onSetsCandidates: setSetsCandidates,
  };
  const showCatchment = (of: FoundPoi) => {
    setFound(of);
    const { lat, lon, dest_id } = of;
    change({ view: 'catchment', origin: { lat, lon }, poi: dest_id });
  };
  return (
    <div class="map-parts">
      <Sheet>
        <MapSearch
          requests={requests}
          around={state.position ?? middleOf(catalogue.bounds)}
          onMove={(position) => change({ position })}
          onPlace={(geoid) => change({ area: geoid })}
          onPoi={setFound}
        />
        <Switch
          label="View"
          name="view"
          values={VIEW_NAMES}
          chosen={view}
          onChoose={(next) => change({ view: next })}
        />
        {[...faults, ...choice.faults].map((fault) => (
          <Notice key={fault} kind="plain">
            {fault}
          </Notice>
        ))}
        <Panel {...parts} />
        {state.block !== null && (
          <BlockPanel
            {...parts}
            geoid={state.block}
            block={block?.geoid === state.block ? block : null}
            pointed={pointed}
            onPointed={setPointed}
            onCatchment={showCatchment}
          />
        )}
        <SharePanel
          state={state}
          requests={requestsOf(parts)}
          picture={{
            catalogue,
            title: title(state, choice, poiName),
            legend: legend(state, choice, catalogue.baseMap, scheme),
            remark: modes(choice).includes('transit') ? PERCENTILE : null,
            shown: picture.shown,
            selected: state.block,
            markers,
            scheme,
            position: state.position,
            map: drawnMap,
          }}
        />
        <p class="map-sources">{dataDates(catalogue)}</p>
      </Sheet>
      <MapStage
        key={`${attempt} ${catalogue.blocksUrl}`}
        drawn={drawnMap}
        blocksUrl={catalogue.blocksUrl}
        bandsUrl={choice.bandsUrl}
        baseMap={catalogue.baseMap}
        bounds={catalogue.bounds}
        position={state.position}
        shown={picture.shown}
        scheme={scheme}
        outlines={picture.outlines}
        markers={markers}
        pointed={pointed}
        onMoved={(position) => change({ position })}
        onMarkerMoved={(id, to) => setSites(withMoved(sites, siteOf(id), to))}
        onMarkerRemoved={(id) => setSites(without(sites, siteOf(id)))}
        onBlock={(pressed, at) => {
          if (view === 'sites') return setSites(withSite(sites, at, setsCandidates));
          setBlock(pressed);
          change({ block: pressed?.geoid ?? null });
        }}
        onMarker={(id) => {
          const pressed = poiOf(id, { profile, found });
          if (pressed) showCatchment(pressed);
        }}
        onPointed={setPointed}
        onRetry={() => void reload().then(() => setAttempt(attempt + 1))}
      />
      <KeyDialog requests={requests} />
      <p role="status" class="unseen">
        {`${title(state, choice, poiName)}.`}
        {state.block !== null && ` Block ${state.block} is selected.`}
      </p>
    </div>
  );
}

/** The profile of the selected block, if it has been loaded. */
function profileOf(
  catalogue: Catalogue,
  { block }: MapState,
  { type }: Choice,
  requests: PaidRequests,
) {
  if (block === null) return null;
  return resultOf(requests, profileRequest(block, catalogue, type.id));
}

function nameOf(id: number, known: readonly (Pick<FoundPoi, 'dest_id' | 'name'> | null)[]): string {
  return known.find((one) => one?.dest_id === id)?.name ?? `POI ${id}`;
}

function middleOf([west, south, east, north]: readonly number[]): Point {
  return { lat: (south + north) / 2, lon: (west + east) / 2 };
}

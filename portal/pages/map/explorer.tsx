import { useMemo, useRef, useState } from 'preact/hooks';
import { byMode } from '../../../shards/modes.ts';
import { useApi } from '../api/use-api.ts';
import { Notice } from '../parts/notice.tsx';
import { useBasket } from './blocks/use-basket.ts';
import type { Catalogue } from './catalogue.ts';
import type { DrawnMap, TileBlock } from './drawing/draw-map.ts';
import type { MapMarker } from './drawing/map-markers.ts';
import { MapStage } from './drawing/map-stage.tsx';
import { useColourScheme } from './drawing/use-colour-scheme.ts';
import { Switch } from './layout/choices.tsx';
import { Sheet } from './layout/sheet.tsx';
import type { Criterion } from './measures/basket.ts';
import { catchmentOf } from './paid/catchment-request.ts';
import { KeyDialog } from './paid/key-dialog.tsx';
import type { FoundPoi } from './paid/poi-search.ts';
import { type Profile, profileRequest } from './paid/profile-request.ts';
import type { SitesQuery } from './paid/sites-request.ts';
import { type PaidRequests, resultOf, usePaidRequests } from './paid/use-paid-requests.ts';
import { areaOf, BasketPanel } from './panels/basket-panel.tsx';
import { BlockPanel } from './panels/block-panel.tsx';
import { CatchmentPanel } from './panels/catchment-panel.tsx';
import { ComparePanel } from './panels/compare-panel.tsx';
import { originName, PERCENTILE } from './panels/names.ts';
import { NearestPanel } from './panels/nearest-panel.tsx';
import { markerId } from './panels/profile-bars.tsx';
import { ReachPanel } from './panels/reach-panel.tsx';
import { SitesPanel } from './panels/sites-panel.tsx';
import type { ViewProps } from './panels/view-props.ts';
import { MapSearch } from './search/map-search.tsx';
import { dataDates } from './share/data-dates.ts';
import { SharePanel } from './share/share-panel.tsx';
import { type Site, withMoved, without, withSite } from './sites/sites.ts';
import { type Choice, choiceOf } from './state/choice.ts';
import { type MapState, type Origin, VIEWS } from './state/map-state.ts';
import type { Point } from './state/point.ts';
import { useMapState } from './state/use-map-state.ts';
import { usePicture } from './use-picture.ts';
import { MAP_VIEWS } from './views.ts';

const VIEW_NAMES = VIEWS.map((view) => [view, MAP_VIEWS[view].name] as const);

const NO_CRITERIA: readonly Criterion[] = [];

/** Not the direction of a reach: people mostly travel to sites. */
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
  const setSites = (next: readonly Site[]) => change({ sites: next });
  const named = [found, ...(profile?.nearest.values() ?? []), catchment?.poi ?? null];
  const poiName = poi === null ? null : nameOf(poi, named);
  const markers = useMemo(() => {
    if (view === 'sites') return siteMarkers(sites);
    const caught =
      view === 'catchment' && poi !== null && origin !== null && typeof origin !== 'string'
        ? { dest_id: poi, name: poiName!, ...origin }
        : null;
    return markersOf(MAP_VIEWS[view].sides > 0 ? origin : null, profile, caught ?? found);
  }, [view, origin, poi, poiName, profile, found, sites]);
  const sitesOf = { ...sitesQuery, mode: choice.mode };
  const parts: ViewProps = { catalogue, state, choice, change, requests, scheme };
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
        {view === 'nearest' && <NearestPanel {...parts} />}
        {view === 'basket' && <BasketPanel {...parts} criteria={choice.basket} basket={basket} />}
        {view === 'catchment' && (
          <CatchmentPanel {...parts} poiName={poiName} catchment={catchment} />
        )}
        {view === 'sites' && (
          <SitesPanel
            {...parts}
            sites={sites}
            onSites={setSites}
            query={sitesOf}
            onQuery={(part) => setSitesQuery({ ...sitesQuery, ...part })}
            setsCandidates={setsCandidates}
            onSetsCandidates={setSetsCandidates}
          />
        )}
        {view === 'reach' && <ReachPanel {...parts} poiName={poiName} />}
        {view === 'compare' && (
          <ComparePanel {...parts} poiName={poiName} comparison={picture.comparison} />
        )}
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
          choice={choice}
          measured={{ area: areaOf(state, basket), sitesQuery: sitesOf }}
          picture={{
            catalogue,
            title: MAP_VIEWS[view].title(state, choice, poiName),
            legend: MAP_VIEWS[view].legend(state, choice, catalogue.baseMap, scheme),
            remark: MAP_VIEWS[view].modes(choice).includes('transit') ? PERCENTILE : null,
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
        onBlock={(found, at) => {
          if (view === 'sites') return setSites(withSite(sites, at, setsCandidates));
          setBlock(found);
          change({ block: found?.geoid ?? null });
        }}
        onMarker={(id) => {
          const pois = [found, ...(profile?.nearest.values() ?? [])];
          const pressed = pois.find((one) => one && markerId(one) === id);
          if (pressed) showCatchment(pressed);
        }}
        onPointed={setPointed}
        onRetry={() => void reload().then(() => setAttempt(attempt + 1))}
      />
      <KeyDialog requests={requests} />
      <p role="status" class="unseen">
        {saidOf(state, choice, poiName)}
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

type MarkedPoi = Pick<FoundPoi, 'dest_id' | 'name' | 'lat' | 'lon'>;

/** Markers of the POIs of a profile, of one that was searched, and of an origin that is a point. */
function markersOf(
  origin: Origin | null,
  profile: Profile | null,
  found: MarkedPoi | null,
): readonly MapMarker[] {
  const markers = new Map<string, MapMarker>();
  const mark = ({ dest_id, name, lat, lon }: MarkedPoi, minutes: string) =>
    markers.set(markerId({ dest_id })!, {
      id: markerId({ dest_id })!,
      at: { lat, lon },
      kind: 'poi',
      sign: '',
      title: `${name}${minutes}: show who reaches it`,
    });
  if (found !== null) mark(found, '');
  for (const one of profile?.nearest.values() ?? []) {
    mark(one, `, ${one.travel_time.toFixed(1)} min ${byMode(one.mode)}`);
  }
  if (origin !== null && typeof origin !== 'string') {
    const title = originName(origin, null);
    markers.set('origin', { id: 'origin', at: origin, kind: 'origin', sign: 'A', title });
  }
  return [...markers.values()];
}

const SITE_PREFIX = 'site-';
/** Longer ids do not fit on a marker. */
const MAX_SIGN = 2;

/** Markers of sites of one's own. */
function siteMarkers(sites: readonly Site[]): readonly MapMarker[] {
  return sites.map(({ id, lat, lon, isCandidate }) => ({
    id: SITE_PREFIX + id,
    at: { lat, lon },
    kind: isCandidate ? 'candidate' : 'site',
    sign: id.length <= MAX_SIGN ? id : '',
    title: `${isCandidate ? 'Candidate' : 'Site'} ${id}: drag to move it, Delete removes it`,
  }));
}

function siteOf(marker: string): string {
  return marker.slice(SITE_PREFIX.length);
}

function nameOf(id: number, known: readonly (Pick<FoundPoi, 'dest_id' | 'name'> | null)[]): string {
  return known.find((one) => one?.dest_id === id)?.name ?? `POI ${id}`;
}

function middleOf([west, south, east, north]: readonly number[]): Point {
  return { lat: (south + north) / 2, lon: (west + east) / 2 };
}

/** Describes the map for people who do not see it. */
function saidOf(state: MapState, choice: Choice, poiName: string | null): string {
  const selected = state.block === null ? '' : ` Block ${state.block} is selected.`;
  return `${MAP_VIEWS[state.view].title(state, choice, poiName)}.${selected}`;
}

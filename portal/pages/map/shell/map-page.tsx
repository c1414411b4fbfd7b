import '../../styles/map.css';
import { useRef, useState } from 'preact/hooks';
import { onRequest } from '../../parts/failed-script.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { UnitsChoice } from '../../parts/units.tsx';
import { attributionOf, type Catalogue, dataDates } from '../catalogue/catalogue.ts';
import type { DrawnMap } from '../drawing/draw-map.ts';
import type { Shown } from '../drawing/paint.ts';
import { resultOf } from '../paid/paid-request.ts';
import { PaidProvider, usePaidRequests, useRequests } from '../paid/use-paid-requests.ts';
import { AreaPanel } from '../panels/area-panel.tsx';
import { Switch } from '../panels/choices.tsx';
import { MarkedProvider } from '../profile/marked.ts';
import { profileRequest } from '../profile/profile-request.ts';
import { degrees } from '../state/codecs.ts';
import { useMap } from '../state/map-context.ts';
import { MAX_OPACITY, MIN_OPACITY, VIEWS, type View } from '../state/map-state.ts';
import { withMoved, without, withSite } from '../state/sites.ts';
import { titleOf, type Viewed } from '../views/map-view.ts';
import { MAP_VIEWS } from '../views/map-views.ts';
import { MapOfRelease } from './map-of-release.tsx';
import { type FoundPoi, MapSearch } from './map-search.tsx';
import { MapStage, type StageEvents } from './map-stage.tsx';
import { ORIGIN, OTHER_ORIGIN, poiOf, siteOf, useMarkers } from './markers.ts';
import { SharePanel } from './share-panel.tsx';
import { Sheet } from './sheet.tsx';
import { type DrawnArea, useDrawnArea } from './use-drawn-area.ts';
import { usePicture } from './use-picture.ts';
import { useViewed } from './use-viewed.ts';

/** The names of the views; changes, only where there is another release. */
function viewNames({ hasBefore }: Catalogue, shown: View) {
  const offered = VIEWS.filter((view) => view !== 'changes' || hasBefore || view === shown);
  return offered.map((view) => [view, MAP_VIEWS[view].name] as const);
}

/** Loaded when a block is first selected. */
const BlockPanel = onRequest(
  'the selected block',
  async () => (await import('../profile/block-panel.tsx')).BlockPanel,
);

const KeyDialog = onRequest(
  'the price',
  async () => (await import('../paid/key-dialog.tsx')).KeyDialog,
);

/** The dialog of a request that waits for a key, which is loaded with the first of them. */
function PriceDialog() {
  const isWaiting = useRequests().waiting !== null;
  const [wasOpened, setOpened] = useState(isWaiting);
  if (isWaiting && !wasOpened) setOpened(true);
  return wasOpened ? <KeyDialog /> : null;
}

export function MapPage() {
  return (
    <Page title="Map" class="map-page" heading="Travel times on a map">
      <MapOfRelease>
        <Explorer />
      </MapOfRelease>
    </Page>
  );
}

/** The map with its panels, and the requests that cost tokens. */
function Explorer() {
  return (
    <PaidProvider value={usePaidRequests()}>
      <MapParts />
      <PriceDialog />
    </PaidProvider>
  );
}

function MapParts() {
  const { catalogue, state, change } = useMap();
  const [pressed, setPressed] = useState<string | null>(null);
  const [found, setFound] = useState<FoundPoi | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const drawn = useRef<DrawnMap>(null);
  const profile = useProfile();
  const viewed = useViewed(found, profile);
  const { shown, outlines } = usePicture(MAP_VIEWS[state.view], viewed);
  const { view } = state;
  const drawnArea = useDrawnArea();
  const markers = [...useMarkers(viewed, { profile, found }), ...drawnArea.markers];
  const showCatchment = (of: FoundPoi) => {
    setFound(of);
    change({ view: 'catchment', origin: { lat: of.lat, lon: of.lon }, poi: of.dest_id });
  };
  const events = useEvents(drawnArea, {
    onPressed: setPressed,
    onPointed: setPointed,
    onPoi(id) {
      const poi = poiOf(id, { profile, found });
      if (poi) showCatchment(poi);
    },
    onDrawnPoi: showCatchment,
  });
  const title = titleOf(MAP_VIEWS[view], viewed);
  const selected = state.block === null ? '' : `Block ${state.block} is selected.`;
  return (
    <div class="map-parts">
      <Sheet>
        <MarkedProvider value={{ pointed, onPointed: setPointed, onCatchment: showCatchment }}>
          <Panels {...{ viewed, shown, pressed, drawnArea }} onFound={setFound} />
        </MarkedProvider>
        <SharePanel
          requests={MAP_VIEWS[view].requests(viewed)}
          picture={{ viewed, title, shown, markers, map: drawn }}
        />
        <DisplayChoices />
        <p class="map-sources">
          {dataDates(catalogue)} {attributionOf(catalogue)}
        </p>
      </Sheet>
      <MapStage
        {...{ drawn, shown, outlines, markers, pointed, events }}
        legend={MAP_VIEWS[view].legend(viewed)}
        minutesOf={(geoid) => MAP_VIEWS[view].minutesOf(viewed, geoid)}
      />
      <p role="status" class="unseen">{`${title}. ${selected}`}</p>
    </div>
  );
}

/** Handlers of clicks and drags on the map, by the current view, and by what is being drawn. */
function useEvents(
  drawnArea: DrawnArea,
  on: {
    readonly onPressed: (geoid: string | null) => void;
    readonly onPointed: (marker: string | null) => void;
    readonly onPoi: (marker: string) => void;
    readonly onDrawnPoi: (poi: FoundPoi) => void;
  },
): StageEvents {
  const { state, choice, change } = useMap();
  const { view, sites, adds } = state;
  return {
    onBlock(block, at, poi) {
      if (drawnArea.drawing !== null) return drawnArea.add(at);
      if (view === 'sites') {
        return change({
          sites: withSite(sites, at, choice.sitesType === null ? adds : 'candidate'),
        });
      }
      if (view === 'catchment' && poi !== null) {
        return on.onDrawnPoi({ ...poi, name: poi.name ?? `POI ${poi.dest_id}` });
      }
      const geoid = block?.geoid ?? null;
      if (view === 'reach' && geoid !== null) {
        return change({ origin: geoid, poi: null, block: geoid });
      }
      on.onPressed(geoid);
      change({ block: geoid });
    },
    onMarker: on.onPoi,
    onPointed: on.onPointed,
    onMarkerMoved(id, to) {
      if (drawnArea.move(id, to)) return;
      const at = { lat: degrees(to.lat), lon: degrees(to.lon) };
      if (id === ORIGIN) return change({ origin: at, poi: null });
      if (id === OTHER_ORIGIN) return change({ otherOrigin: at });
      change({ sites: withMoved(sites, siteOf(id), to) });
    },
    onMarkerRemoved(id) {
      if (!drawnArea.move(id, null)) change({ sites: without(sites, siteOf(id)) });
    },
  };
}

function Panels(props: {
  readonly viewed: Viewed;
  readonly shown: Shown;
  /** GEOID of the block that was pressed last. */
  readonly pressed: string | null;
  readonly drawnArea: DrawnArea;
  readonly onFound: (poi: FoundPoi) => void;
}) {
  const { viewed, shown, pressed, drawnArea, onFound } = props;
  const { catalogue, state, change, faults } = useMap();
  const { view, block } = state;
  const { Panel } = MAP_VIEWS[view];
  return (
    <>
      <MapSearch onPoi={onFound} />
      <Switch
        label="View"
        name="view"
        values={viewNames(catalogue, view)}
        chosen={view}
        onChoose={(next) => change({ view: next })}
      />
      {faults.map((fault) => (
        <Notice key={fault} kind="plain">
          {fault}
        </Notice>
      ))}
      <AreaPanel area={viewed.area} drawing={drawnArea.drawing} onDraw={drawnArea.onDraw} />
      <Panel {...viewed} />
      <DotsKey pois={shown.pois} />
      {block !== null && <BlockPanel geoid={block} isPressed={pressed === block} />}
    </>
  );
}

/** Says what the dots and lines on the map stand for; nothing without any. */
function DotsKey({ pois }: Pick<Shown, 'pois'>) {
  const words = [
    ...(pois.some(({ of }) => of === 'places')
      ? ['filled dots are places of the chosen types']
      : []),
    ...(pois.some(({ of }) => of === 'stops') ? ['hollow dots are transit stops'] : []),
    ...(pois.some(({ of }) => of === 'lines') ? ['lines are transit routes'] : []),
  ];
  const listed = new Intl.ListFormat('en').format(words);
  return words.length === 0 ? null : (
    <p class="quiet">On the map, {listed}. Point at one for its name.</p>
  );
}

/** How the map looks: how much of the base map shows through its colors, and its units. */
function DisplayChoices() {
  const { state, change } = useMap();
  const { opacity } = state;
  return (
    <details class="display">
      <summary>Display</summary>
      <label class="field">
        <span>Opacity of the colors: {opacity}%</span>
        <input
          type="range"
          min={MIN_OPACITY}
          max={MAX_OPACITY}
          step={5}
          value={opacity}
          onInput={(event) => change({ opacity: event.currentTarget.valueAsNumber })}
        />
      </label>
      <UnitsChoice />
    </details>
  );
}

function useProfile() {
  const { catalogue, state, choice } = useMap();
  const { block } = state;
  const request = block === null ? null : profileRequest(block, catalogue, choice);
  return resultOf(useRequests(), request);
}

import type { RefObject } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Notice } from '../../parts/notice.tsx';
import { type Catalogue, dataDates } from '../catalogue/catalogue.ts';
import type { DrawnMap, Shown, TileBlock } from '../drawing/draw-map.ts';
import type { MapMarker } from '../drawing/map-markers.ts';
import { KeyDialog } from '../paid/key-dialog.tsx';
import { PaidProvider, resultOf, usePaidRequests, useRequests } from '../paid/use-paid-requests.ts';
import { Switch } from '../panels/choices.tsx';
import { PERCENTILE } from '../panels/words.tsx';
import { BlockPanel } from '../profile/block-panel.tsx';
import { profileRequest } from '../profile/profile-request.ts';
import { choiceOf } from '../state/choice.ts';
import type { Point } from '../state/codecs.ts';
import { MapProvider, useMap } from '../state/map-context.ts';
import { VIEWS } from '../state/map-state.ts';
import { withMoved, without, withSite } from '../state/sites.ts';
import { useMapState } from '../state/use-map-state.ts';
import type { Viewed } from '../views/map-view.ts';
import { MAP_VIEWS } from '../views/map-views.ts';
import { type FoundPoi, MapSearch } from './map-search.tsx';
import { MapStage } from './map-stage.tsx';
import { poiOf, siteOf, useMarkers } from './markers.ts';
import { SharePanel } from './share-panel.tsx';
import { Sheet } from './sheet.tsx';
import { usePicture, useViewed } from './use-viewed.ts';

const VIEW_NAMES = VIEWS.map((view) => [view, MAP_VIEWS[view].name] as const);

/** The map and the panel beside it. */
export function Explorer(props: {
  readonly catalogue: Catalogue;
  readonly reload: () => Promise<void>;
}) {
  const { catalogue, reload } = props;
  const [{ state, faults }, change] = useMapState();
  const choice = useMemo(() => choiceOf(catalogue, state), [catalogue, state]);
  const shared = useMemo(() => ({ catalogue, state, choice, change }), [choice, state]);
  return (
    <MapProvider value={shared}>
      <PaidProvider value={usePaidRequests()}>
        <MapParts faults={[...faults, ...choice.faults]} reload={reload} />
        <KeyDialog />
      </PaidProvider>
    </MapProvider>
  );
}

function MapParts(props: {
  readonly faults: readonly string[];
  readonly reload: () => Promise<void>;
}) {
  const { faults, reload } = props;
  const { catalogue, state, change } = useMap();
  const [pressed, setPressed] = useState<TileBlock | null>(null);
  const [found, setFound] = useState<FoundPoi | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const drawn = useRef<DrawnMap>(null);
  const profile = useProfile();
  const viewed = useViewed(found, profile);
  const { shown, outlines } = usePicture(viewed);
  const { sites, view } = state;
  const markers = useMarkers(viewed, { profile, found });
  const showCatchment = (of: FoundPoi) => {
    setFound(of);
    const { lat, lon, dest_id } = of;
    change({ view: 'catchment', origin: { lat, lon }, poi: dest_id });
  };
  const events = {
    onBlock(block: TileBlock | null, at: Point) {
      if (view === 'sites') return change({ sites: withSite(sites, at, state.adds) });
      setPressed(block);
      change({ block: block?.geoid ?? null });
    },
    onMarker(id: string) {
      const pressedPoi = poiOf(id, { profile, found });
      if (pressedPoi) showCatchment(pressedPoi);
    },
    onPointed: setPointed,
    onMarkerMoved: (id: string, to: Point) => change({ sites: withMoved(sites, siteOf(id), to) }),
    onMarkerRemoved: (id: string) => change({ sites: without(sites, siteOf(id)) }),
  };
  const title = MAP_VIEWS[view].title(viewed);
  return (
    <div class="map-parts">
      <Sheet>
        <Panels
          {...{ viewed, faults, pressed, pointed, showCatchment }}
          onFound={setFound}
          onPointed={setPointed}
        />
        <Shared {...{ viewed, shown, markers, title, drawn }} />
        <p class="map-sources">{dataDates(catalogue)}</p>
      </Sheet>
      <MapStage
        key={`${attempt} ${catalogue.blocksUrl}`}
        {...{ drawn, shown, outlines, markers, pointed, events }}
        onRetry={() => void reload().then(() => setAttempt(attempt + 1))}
      />
      <p role="status" class="unseen">
        {`${title}.`}
        {state.block !== null && ` Block ${state.block} is selected.`}
      </p>
    </div>
  );
}

/** The search, the views, and the panels of the current view and of the selected block. */
function Panels(props: {
  readonly viewed: Viewed;
  readonly faults: readonly string[];
  /** The block that was pressed last, as in its tile. */
  readonly pressed: TileBlock | null;
  readonly pointed: string | null;
  readonly onFound: (poi: FoundPoi) => void;
  readonly onPointed: (id: string | null) => void;
  readonly showCatchment: (poi: FoundPoi) => void;
}) {
  const { viewed, faults, pressed, pointed, onFound, onPointed, showCatchment } = props;
  const { state, change } = useMap();
  const { view, block } = state;
  const { Panel } = MAP_VIEWS[view];
  return (
    <>
      <MapSearch onPoi={onFound} />
      <Switch
        label="View"
        name="view"
        values={VIEW_NAMES}
        chosen={view}
        onChoose={(next) => change({ view: next })}
      />
      {faults.map((fault) => (
        <Notice key={fault} kind="plain">
          {fault}
        </Notice>
      ))}
      <Panel {...viewed} />
      {block !== null && (
        <BlockPanel
          geoid={block}
          block={pressed?.geoid === block ? pressed : null}
          pointed={pointed}
          onPointed={onPointed}
          onCatchment={showCatchment}
        />
      )}
    </>
  );
}

/** The current view to share: as a link, a picture, code, or a map for other pages. */
function Shared(props: {
  readonly viewed: Viewed;
  readonly title: string;
  readonly shown: Shown;
  readonly markers: readonly MapMarker[];
  readonly drawn: RefObject<DrawnMap | null>;
}) {
  const { viewed, title, shown, markers, drawn } = props;
  const { catalogue, state, choice, scheme } = viewed;
  const { legend, modes, requests } = MAP_VIEWS[state.view];
  return (
    <SharePanel
      requests={requests(viewed)}
      picture={{
        catalogue,
        title,
        legend: legend(viewed),
        remark: modes(choice).includes('transit') ? PERCENTILE : null,
        shown,
        selected: state.block,
        markers,
        scheme,
        position: state.position,
        map: drawn,
      }}
    />
  );
}

/** The profile of the selected block, if it has been loaded. */
function useProfile() {
  const { catalogue, state, choice } = useMap();
  const { block } = state;
  const request = block === null ? null : profileRequest(block, catalogue, choice.type.id);
  return resultOf(useRequests(), request);
}

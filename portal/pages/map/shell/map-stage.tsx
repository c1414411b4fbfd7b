import type { RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAttempts } from '../../api/use-loaded.ts';
import { FailedScript } from '../../parts/failed-script.tsx';
import { Notice } from '../../parts/notice.tsx';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { DrawnMap, HoveredBlock, MapEvents } from '../drawing/draw-map.ts';
import { hasWebgl, loadMapLibre, prefetchMapLibre } from '../drawing/map-libre.ts';
import type { MapMarker } from '../drawing/map-markers.ts';
import type { Outlines, Shown } from '../drawing/paint.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import type { Swatch } from '../panels/legend.tsx';
import { useMap } from '../state/map-context.ts';
import type { MapPosition } from '../state/map-state.ts';
import { StillBands } from '../still/still-bands.tsx';
import { StillStage } from '../still/still-stage.tsx';
import { coloursAreRead, prefetchHead } from '../tiles/archive-source.ts';
import { Readout } from './readout.tsx';

/** Lowest zoom with blocks; below it, tiles have only bands. */
const BLOCK_ZOOM = 11;

export type StageEvents = Omit<
  MapEvents,
  'onDrawn' | 'onLate' | 'onMoved' | 'onZoom' | 'onHover' | 'onTrouble'
>;

interface StageProps {
  /** The map, while there is one. */
  readonly drawn: RefObject<DrawnMap | null>;
  readonly shown: Shown;
  readonly outlines: Outlines;
  readonly markers: readonly MapMarker[];
  /** Marker pointed at, here or in the panel. */
  readonly pointed: string | null;
  readonly events: StageEvents;
  readonly legend: readonly Swatch[];
  /** Returns words for the minutes of a block, by its GEOID. */
  readonly minutesOf: (geoid: number) => string | null;
  /** Whether the map is in a page of another site, whose scrolling it must not capture. */
  readonly isEmbedded?: boolean;
}

interface Attempt {
  /** How often everything was reloaded. */
  readonly attempt: number;
  /** Reloads everything, since another release may be in force. */
  readonly onRetry: () => void;
}

/** The map, made anew when another release is in force, and to try again what failed. */
export function MapStage(props: StageProps) {
  const { catalogue, reload } = useMap();
  const [attempt, setAttempt] = useState(0);
  const onRetry = () => void reload().then(() => setAttempt((last) => last + 1));
  return <Stage key={`${attempt} ${catalogue.blocksUrl}`} {...{ ...props, attempt, onRetry }} />;
}

function Stage(props: StageProps & Attempt) {
  const { shown, legend, minutesOf, attempt, onRetry } = props;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  // On a slow line, the first colors come seconds sooner if MapLibre comes after them.
  const [isNext, setNext] = useState(false);
  if (shown.of !== 'bands' && !isNext) setNext(true);
  useEffect(() => {
    if (isNext) coloursAreRead();
  }, [isNext]);
  const { state, areLate, zoom, hovered, failed } = useDrawnMap(props, place, `${id}-keys`, isNext);
  const missing = mostImportant(failed.filter((source) => isShownIn(shown, source)));
  const isMissing = state === 'no-webgl' || state === 'failed';
  return (
    <div class="map-frame">
      {state === 'failed' && <FailedScript of="the map" />}
      {state === 'no-webgl' && <StillStage shown={shown} outlines={props.outlines} />}
      <div class="map-stage" hidden={isMissing}>
        {shown.of === 'bands' && state !== 'drawn' && (
          <StillBands bandsUrl={shown.bandsUrl} onRead={() => setNext(true)} />
        )}
        <div ref={place} class="map-canvas" />
        <svg class="map-cross" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <path class="halo" d="M12 1v8M12 15v8M1 12h8M15 12h8" />
          <path d="M12 1v8M12 15v8M1 12h8M15 12h8" />
        </svg>
        <Readout hovered={hovered} minutesOf={minutesOf} />
        <div class="map-notes">
          <MapKey legend={legend} />
          {state === 'loading' && <p class="map-note">Loading the map …</p>}
          {(state === 'here' || state === 'drawn') && zoom < BLOCK_ZOOM && (
            <p class="map-note">
              {shown.of === 'bands'
                ? 'Zoom in to see blocks, and which of them have no street near.'
                : 'Zoom in to see blocks.'}
            </p>
          )}
          {missing !== undefined && <Missing source={missing} {...{ attempt, onRetry }} />}
          <div role="status">
            {areLate && shown.of === 'bands' && missing === undefined && (
              <p class="map-note">Loading the colors …</p>
            )}
          </div>
        </div>
      </div>
      <p id={`${id}-keys`} class="unseen">
        Click a block to select it. By keyboard: arrow keys move the map, + and − zoom, Enter
        selects the block at the cross.
      </p>
    </div>
  );
}

/** Maximum length of a label in a key; longer ones are in the legend of the panel only. */
const MAX_LETTERS = 11;

/** The classes of a legend in one line over the map, for phones, where its panel lies lower. */
function MapKey({ legend }: { readonly legend: readonly Swatch[] }) {
  const timed = legend
    .map(({ colour, stripe, label, short = label }) => ({ colour, stripe, label: short }))
    .filter(({ label, stripe }) => label.length <= MAX_LETTERS && /\d/.test(label) && !stripe);
  if (timed.length < 2) return null;
  return (
    <div class="map-key" aria-hidden="true">
      {timed.map(({ colour, label }) => (
        <span key={label}>
          <svg viewBox="0 0 10 4" preserveAspectRatio="none" aria-hidden="true">
            <rect width="10" height="4" fill={colour} />
          </svg>
          {label.replace(' min', '').replace('over ', '> ')}
        </span>
      ))}
      {timed.some(({ label }) => label.endsWith(' min')) && <span>min</span>}
    </div>
  );
}

/** Names of what the sources of the map show, the most important first. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  bands: 'The colors',
  blocks: 'The blocks',
  basemap: 'Streets and names',
  pois: 'Points of interest',
};

/** Says which part of the map is missing, and loads the map again once the API has that part. */
function Missing(props: Attempt & { readonly source: string }) {
  const { source, onRetry } = props;
  const { blocksUrl, baseMap } = useMap().catalogue;
  const base = baseMap && 'archive' in baseMap ? baseMap.archive : null;
  const [kind, own = null] = source.split(' ');
  const url = { blocks: blocksUrl, basemap: base }[kind] ?? own;
  const attempt = useAttempts(url !== null, props.attempt);
  useEffect(() => {
    if (attempt === 0 || url === null) return;
    let isGone = false;
    isServed(url).then((isBack) => isBack && !isGone && onRetry());
    return () => {
      isGone = true;
    };
  }, [attempt]);
  return (
    <Notice kind="fault">
      <p>
        {SHOWN_BY[kind] ?? 'Parts of the map'} could not be loaded: the API does not respond, or
        serves a new release.{url !== null && ' Trying again …'}
      </p>
      <button type="button" class="button" onClick={onRetry}>
        Try again
      </button>
    </Notice>
  );
}

/** Whether a map shows a source, which may have failed for another type before. */
function isShownIn(shown: Shown, source: string): boolean {
  const [kind, url] = source.split(' ');
  if (kind === 'bands') return shown.of === 'bands' && shown.bandsUrl === url;
  return kind !== 'pois' || shown.pois.some((one) => one.url === url);
}

/** Returns the most important of sources that failed; one without a name says the least. */
function mostImportant(sources: readonly string[]): string | undefined {
  const kinds = Object.keys(SHOWN_BY);
  const named = kinds.flatMap((kind) => sources.find((one) => one.split(' ')[0] === kind) ?? []);
  return named.at(0) ?? sources.at(0);
}

async function isServed(url: string): Promise<boolean> {
  const query = { headers: { range: 'bytes=0-0' }, cache: 'no-store' } as const;
  return await fetch(url, query).then(
    ({ ok }) => ok,
    () => false,
  );
}

/**
 * Draws the map in a place, and keeps it as the page states. `describedBy`: id of its help;
 * `isNext`: whether it is time to load MapLibre.
 */
function useDrawnMap(
  props: StageProps,
  place: RefObject<HTMLDivElement | null>,
  describedBy: string,
  isNext: boolean,
) {
  const { catalogue, state: shared, change } = useMap();
  const { bounds, blocksUrl, baseMap } = catalogue;
  const { position } = shared;
  const opacity = shared.opacity / 100;
  const scheme = useColourScheme();
  const { drawn, shown, outlines, markers, pointed, isEmbedded = false } = props;
  const own = useRef<MapPosition | null>(position);
  const { events, setState, ...reported } = useReports(props.events, (moved) => {
    own.current = moved;
    change({ position: moved });
  });
  const look = { shown, outlines, opacity, scheme };
  const now = { ...props, look, position };
  const latest = useRef(now);
  latest.current = now;

  useEffect(() => {
    const container = place.current;
    if (container === null || !isNext) return;
    if (!hasWebgl()) return setState('no-webgl');
    let isGone = false;
    let map: DrawnMap | null = null;
    const fixed = { container, title: 'Map of travel times', describedBy, isEmbedded };
    prefetchMapLibre();
    prefetchHeads(latest.current.shown, catalogue);
    loadMapLibre()
      .then(({ DrawnMap }) => {
        if (isGone) return;
        const { current } = latest;
        map = new DrawnMap({ ...catalogue, ...current, ...fixed, events });
        drawn.current = map;
        map.mark(current.markers);
        setState('here');
      })
      .catch(() => setState('failed'));
    return () => {
      isGone = true;
      map?.remove();
      // Another map may have taken its place.
      if (drawn.current === map) drawn.current = null;
    };
  }, [blocksUrl, baseMap, bounds, isNext]);
  useEffect(() => drawn.current?.show(look), Object.values(look));
  useEffect(() => drawn.current?.mark(markers), [markers]);
  useEffect(() => drawn.current?.highlight(pointed), [pointed]);
  useEffect(() => {
    // A position that the map reported needs no move.
    if (position === own.current) return;
    own.current = position;
    drawn.current?.moveTo(position);
  }, [position]);
  return reported;
}

/** The state of the map, what it has reported last, and the events by which it reports. */
function useReports(stageEvents: StageEvents, onMoved: MapEvents['onMoved']) {
  const [state, setState] = useState<'loading' | 'here' | 'drawn' | 'no-webgl' | 'failed'>(
    'loading',
  );
  const [areLate, setLate] = useState(false);
  const [failed, setFailed] = useState<readonly string[]>([]);
  const [zoom, setZoom] = useState(BLOCK_ZOOM);
  const [hovered, setHovered] = useState<HoveredBlock | null>(null);
  const events = useRef<MapEvents>(null!);
  events.current = {
    ...stageEvents,
    onMoved,
    onDrawn: () => setState('drawn'),
    onLate: setLate,
    onZoom: setZoom,
    onHover: setHovered,
    onTrouble: (source) => setFailed((before) => [...new Set([...before, source])]),
  };
  return { events, setState, state, areLate, zoom, hovered, failed };
}

/** Requests what MapLibre needs first while MapLibre itself is still being loaded. */
function prefetchHeads(shown: Shown, { blocksUrl, baseMap }: Catalogue): void {
  const bands = shown.of === 'bands' ? [shown.bandsUrl] : [];
  const base = baseMap && 'archive' in baseMap ? [baseMap.archive] : [];
  for (const url of [...bands, blocksUrl, ...base]) prefetchHead(url);
}

import type { RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { FailedMap } from '../parts/failed-map.tsx';
import { Notice } from '../parts/notice.tsx';
import type { BaseMap } from './base-map-style.ts';
import type { DrawnMap, Shown, TileBlock } from './drawing/draw-map.ts';
import { hasWebgl, loadMapLibre } from './drawing/map-libre.ts';
import type { MapMarker } from './drawing/map-markers.ts';
import type { Outlines, Scheme } from './drawing/paint.ts';
import type { MapPosition } from './state/map-state.ts';
import type { Point } from './state/point.ts';
import { StillStage } from './still/still-stage.tsx';
import { prefetchHead } from './tiles/archive-source.ts';

/** Lowest zoom with blocks; below it, tiles have only bands. */
const BLOCK_ZOOM = 11;

/** The map, or a message where it cannot be drawn. */
export function MapStage(props: {
  /** The map, while there is one. */
  readonly drawn: RefObject<DrawnMap | null>;
  readonly blocksUrl: string;
  readonly bandsUrl: string;
  readonly baseMap: BaseMap | null;
  readonly bounds: readonly number[];
  readonly position: MapPosition | null;
  readonly shown: Shown;
  readonly scheme: Scheme;
  readonly outlines: Outlines;
  readonly markers: readonly MapMarker[];
  /** Marker pointed at, here or in the panel. */
  readonly pointed: string | null;
  readonly onMoved: (position: MapPosition) => void;
  readonly onBlock: (block: TileBlock | null, at: Point) => void;
  readonly onMarker: (id: string) => void;
  readonly onPointed: (id: string | null) => void;
  /** Called when a site was dragged, or removed by keyboard. */
  readonly onMarkerMoved?: (id: string, to: Point) => void;
  readonly onMarkerRemoved?: (id: string) => void;
  /** Whether the map is in a page of another site, whose scrolling it must not capture. */
  readonly isEmbedded?: boolean;
  /** Reloads everything, since another release may be in force. */
  readonly onRetry: () => void;
}) {
  const { bounds, blocksUrl, baseMap, position, shown, scheme, outlines, markers, pointed } = props;
  const place = useRef<HTMLDivElement>(null);
  const { drawn } = props;
  const [state, setState] = useState<'loading' | 'here' | 'no-webgl' | 'failed'>('loading');
  const [isPartial, setPartial] = useState(false);
  const [zoom, setZoom] = useState(BLOCK_ZOOM);
  const latest = useRef(props);
  latest.current = props;
  const own = useRef<MapPosition | null>(position);
  const id = useId();

  useEffect(() => {
    const container = place.current;
    if (container === null) return;
    if (!hasWebgl()) return setState('no-webgl');
    let isGone = false;
    // Requests what MapLibre needs first while MapLibre itself is still being loaded.
    const base = baseMap && 'archive' in baseMap ? [baseMap.archive] : [];
    for (const url of [latest.current.bandsUrl, blocksUrl, ...base]) prefetchHead(url);
    loadMapLibre()
      .then(({ drawMap }) => {
        if (isGone) return;
        const now = latest.current;
        drawn.current = drawMap({
          container,
          title: 'Map of travel times',
          describedBy: `${id}-keys`,
          blocksUrl,
          baseMap,
          bandsUrl: now.bandsUrl,
          bounds,
          position: now.position,
          scheme: now.scheme,
          shown: now.shown,
          isEmbedded: now.isEmbedded ?? false,
          onMoved(moved) {
            own.current = moved;
            latest.current.onMoved(moved);
          },
          onZoom: setZoom,
          onBlock: (block, at) => latest.current.onBlock(block, at),
          onMarker: (marker) => latest.current.onMarker(marker),
          onPointed: (marker) => latest.current.onPointed(marker),
          onMarkerMoved: (marker, to) => latest.current.onMarkerMoved?.(marker, to),
          onMarkerRemoved: (marker) => latest.current.onMarkerRemoved?.(marker),
          onTrouble: () => setPartial(true),
        });
        drawn.current.outline(now.outlines);
        drawn.current.mark(now.markers);
        setState('here');
      })
      .catch(() => setState('failed'));
    return () => {
      isGone = true;
      drawn.current?.remove();
      drawn.current = null;
    };
  }, [blocksUrl, baseMap, bounds, id]);

  useEffect(() => drawn.current?.show(shown), [shown]);
  useEffect(() => drawn.current?.useScheme(scheme), [scheme]);
  useEffect(() => drawn.current?.outline(outlines), [outlines]);
  useEffect(() => drawn.current?.mark(markers), [markers]);
  useEffect(() => drawn.current?.highlight(pointed), [pointed]);
  useEffect(() => {
    // A position that the map reported needs no move.
    if (position === own.current) return;
    own.current = position;
    drawn.current?.moveTo(position);
  }, [position]);

  const isMissing = state === 'no-webgl' || state === 'failed';
  return (
    <div class="map-frame">
      {state === 'failed' && <FailedMap />}
      {state === 'no-webgl' && <StillStage {...props} />}
      <div class="map-stage" hidden={isMissing}>
        <div ref={place} class="map-canvas" />
        <svg class="map-cross" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <path class="halo" d="M12 1v8M12 15v8M1 12h8M15 12h8" />
          <path d="M12 1v8M12 15v8M1 12h8M15 12h8" />
        </svg>
        <div class="map-notes">
          {state === 'loading' && <p class="map-note">Loading the map …</p>}
          {state === 'here' && zoom < BLOCK_ZOOM && (
            <p class="map-note">
              {shown.of === 'bands'
                ? 'Zoom in to see blocks, and which of them have no street near.'
                : 'Zoom in to see blocks.'}
            </p>
          )}
          {isPartial && (
            <Notice kind="fault">
              <p>
                Parts of the map could not be loaded: the API does not respond, or serves a new
                release.
              </p>
              <button type="button" class="button" onClick={props.onRetry}>
                Try again
              </button>
            </Notice>
          )}
        </div>
      </div>
      <p id={`${id}-keys`} class="unseen">
        Click a block to select it. By keyboard: arrow keys move the map, + and − zoom, Enter
        selects the block at the cross.
      </p>
    </div>
  );
}

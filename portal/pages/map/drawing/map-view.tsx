import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Notice } from '../../parts/notice.tsx';
import type { BaseMap } from '../base-map-style.ts';
import type { MapView as View } from '../state/map-state.ts';
import type { DrawnMap, Scheme, Shown, TileBlock } from './draw-map.ts';

/** Below it a map shows bands only. */
const BLOCK_ZOOM = 11;

/** The map itself, with words where it cannot be. */
export function MapView(props: {
  readonly title: string;
  readonly blocksUrl: string;
  readonly baseMap: BaseMap | null;
  readonly bounds: readonly number[];
  readonly view: View | null;
  readonly shown: Shown;
  readonly scheme: Scheme;
  readonly chosen: string | null;
  readonly onMoved: (view: View) => void;
  readonly onBlock: (block: TileBlock | null) => void;
  /** Loads everything anew: another release may be in force. */
  readonly onRetry: () => void;
}) {
  const { title, bounds, blocksUrl, baseMap, view, shown, scheme, chosen, onRetry } = props;
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnMap | null>(null);
  const [state, setState] = useState<'loading' | 'here' | 'no-webgl' | 'failed'>('loading');
  const [isPartial, setPartial] = useState(false);
  const [zoom, setZoom] = useState(BLOCK_ZOOM);
  const latest = useRef(props);
  latest.current = props;
  const own = useRef<View | null>(view);
  const id = useId();

  useEffect(() => {
    const container = place.current;
    if (container === null) return;
    if (!hasWebgl()) return setState('no-webgl');
    let isGone = false;
    import('./draw-map.ts')
      .then(({ drawMap }) => {
        if (isGone) return;
        drawn.current = drawMap({
          container,
          title: 'Map of travel times',
          describedBy: `${id}-keys`,
          blocksUrl,
          baseMap,
          bounds,
          view: latest.current.view,
          scheme: latest.current.scheme,
          shown: latest.current.shown,
          onMoved(moved) {
            own.current = moved;
            latest.current.onMoved(moved);
          },
          onZoom: setZoom,
          onBlock: (block) => latest.current.onBlock(block),
          onTrouble: () => setPartial(true),
        });
        drawn.current.choose(latest.current.chosen);
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
  useEffect(() => drawn.current?.choose(chosen), [chosen]);
  useEffect(() => {
    // Not what the map itself has said.
    if (view === own.current) return;
    own.current = view;
    drawn.current?.moveTo(view);
  }, [view]);

  return (
    <div class="map-frame">
      {state === 'no-webgl' && (
        <Notice kind="fault">
          <p>
            This browser cannot draw the map: WebGL 2 is missing or switched off. Turn on hardware
            acceleration in its settings, or open this page in another browser. The same minutes are
            available from the API.
          </p>
        </Notice>
      )}
      {state === 'failed' && (
        <Notice kind="fault">
          <p>The map could not be loaded. Check your connection and try again.</p>
          <button type="button" class="button" onClick={() => location.reload()}>
            Try again
          </button>
        </Notice>
      )}
      {isPartial && (
        <Notice kind="fault">
          <p>Parts of the map could not be loaded: the API is away, or serves a new release.</p>
          <button type="button" class="button" onClick={onRetry}>
            Try again
          </button>
        </Notice>
      )}
      <div class="map-stage" hidden={state === 'no-webgl' || state === 'failed'}>
        <div ref={place} class="map-canvas" />
        <svg class="map-cross" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <path class="halo" d="M12 1v8M12 15v8M1 12h8M15 12h8" />
          <path d="M12 1v8M12 15v8M1 12h8M15 12h8" />
        </svg>
        {state === 'loading' && <p class="map-waiting quiet">Loading the map …</p>}
        {state === 'here' && zoom < BLOCK_ZOOM && (
          <p class="map-hint">Zoom in to see blocks, and which of them have no street near.</p>
        )}
      </div>
      <p id={`${id}-keys`} class="quiet map-keys">
        Click a block to select it. By keyboard: arrow keys move the map, + and − zoom, Enter
        selects the block at the cross. <span class="unseen">{title}</span>
      </p>
    </div>
  );
}

function hasWebgl(): boolean {
  try {
    return document.createElement('canvas').getContext('webgl2') !== null;
  } catch {
    return false;
  }
}

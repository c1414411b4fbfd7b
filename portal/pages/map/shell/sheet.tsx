import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

/** Heights of the sheet on a phone, as in the style sheet. */
const STOPS = ['low', 'half', 'full'] as const;
type Stop = (typeof STOPS)[number];
const NAMES: Readonly<Record<Stop, string>> = { low: 'small', half: 'half', full: 'large' };

/** Minimum movement of a pointer that drags; one that has moved less has pressed. */
const PRESS_PX = 6;

/**
 * The panel beside the map. On a phone it is a sheet below the map, with three heights: the handle
 * is dragged, pressed, or moved with the arrow keys.
 */
export function Sheet({ children }: { readonly children: ComponentChildren }) {
  const [stop, setStop] = useState<Stop>('half');
  const sheet = useRef<HTMLElement>(null);
  const drag = useRef<{ readonly y: number; readonly height: number } | null>(null);
  const hasMoved = useRef(false);
  const step = (by: number) => {
    const next = STOPS[STOPS.indexOf(stop) + by];
    if (next) setStop(next);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  };
  const onDown = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { y: event.clientY, height: sheet.current!.offsetHeight };
    hasMoved.current = false;
  };
  const onMove = (event: PointerEvent) => {
    if (drag.current === null) return;
    const moved = event.clientY - drag.current.y;
    if (Math.abs(moved) >= PRESS_PX) hasMoved.current = true;
    if (hasMoved.current) sheet.current!.style.height = `${drag.current.height - moved}px`;
  };
  const onUp = () => {
    drag.current = null;
    if (!hasMoved.current) return;
    const { style, offsetHeight, parentElement } = sheet.current!;
    style.height = '';
    const share = offsetHeight / parentElement!.offsetHeight;
    setStop(share < 0.35 ? 'low' : share < 0.7 ? 'half' : 'full');
  };
  // The end of a drag is a click too.
  const onClick = () =>
    hasMoved.current || setStop(stop === 'full' ? 'low' : STOPS[STOPS.indexOf(stop) + 1]);
  return (
    <section ref={sheet} class="map-panel" data-stop={stop} aria-label="Choices and results">
      <button
        type="button"
        class="sheet-handle"
        aria-label={`Height of the panel: ${NAMES[stop]}`}
        onKeyDown={onKey}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={onUp}
        onClick={onClick}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <div class="map-panel-body" tabIndex={0}>
        {children}
      </div>
    </section>
  );
}

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count, counted, dayOf } from '../formats.ts';
import { nextByKey } from '../parts/tabs.tsx';
import { chartScale } from './chart-scale.ts';
import type { DayUsage, DividedUsage } from './divided-usage.ts';
import { UsageBar } from './usage-bar.tsx';

const UNTIL_KNOWN = 720;

/** Width of an element in pixels, updated when it changes. */
function useWidth<Kind extends HTMLElement>(): [RefObject<Kind | null>, number] {
  const element = useRef<Kind>(null);
  const [width, setWidth] = useState(UNTIL_KNOWN);
  useLayoutEffect(() => {
    if (element.current === null) return;
    setWidth(element.current.clientWidth);
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

/** Width of a day label, in pixels. */
const NAME_WIDTH = 80;

/** Bar chart by day. One bar has the focus; arrow keys move it, and a line below describes it. */
export function UsageChart({ usage }: { readonly usage: DividedUsage }) {
  const { days, parts } = usage;
  const [selected, setSelected] = useState<number | null>(null);
  const [reached, setReached] = useState(days.length - 1);
  const bars = useRef<(SVGGElement | null)[]>([]);
  const focusable = Math.min(reached, days.length - 1);
  const [room, width] = useWidth<HTMLDivElement>();
  const scale = chartScale(
    days.map((day) => day.tokens),
    width,
  );
  const each = Math.ceil(NAME_WIDTH / scale.pitch);
  const move = (event: KeyboardEvent) => {
    const next = nextByKey(event.key, focusable, days.length);
    if (next === undefined) return;
    event.preventDefault();
    bars.current[next]?.focus();
  };
  return (
    <figure class="chart">
      {parts.length > 1 && <Legend parts={parts} />}
      <div
        ref={room}
        role="listbox"
        aria-orientation="horizontal"
        aria-label="Tokens by day. Use the arrow keys to move between days."
        onKeyDown={move}
        onPointerLeave={() => setSelected(null)}
      >
        <svg viewBox={`0 0 ${scale.width} ${scale.height}`} role="presentation">
          {scale.lines.map((tokens) => (
            // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in the grid takes the focus
            <g key={tokens} class="grid" aria-hidden="true">
              <path d={`M${scale.left} ${scale.yOf(tokens)}H${scale.width}`} />
              <text x={scale.left - 8} y={scale.yOf(tokens) + 4}>
                {count(tokens)}
              </text>
            </g>
          ))}
          {days.map((day, i) => (
            <UsageBar
              key={day.day}
              day={day}
              at={i}
              scale={scale}
              name={sentence(day, parts)}
              isNamed={(days.length - 1 - i) % each === 0}
              isSelected={selected === i}
              isFocusable={i === focusable}
              barRef={(bar) => {
                bars.current[i] = bar;
              }}
              onTell={setSelected}
              onReach={setReached}
            />
          ))}
        </svg>
      </div>
      <figcaption class="bar-caption">
        {selected === null || days[selected] === undefined ? (
          <span class="quiet">Hover over or focus a day for details.</span>
        ) : (
          sentence(days[selected], parts)
        )}
      </figcaption>
    </figure>
  );
}

function Legend({ parts }: { readonly parts: readonly string[] }) {
  return (
    <ul class="legend">
      {parts.map((part, i) => (
        <li key={part}>
          <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
            <rect class={`part-${i}`} width="10" height="10" rx="2" />
          </svg>
          {part}
        </li>
      ))}
    </ul>
  );
}

/** `Sat, Nov 22: 40 tokens, 2 requests`, followed by the parts, if any. */
function sentence({ day, tokens, requests, ofParts }: DayUsage, parts: readonly string[]): string {
  const all = `${dayOf(day)}: ${counted(tokens, 'token')}, ${counted(requests, 'request')}`;
  const named = ofParts.flatMap((part, i) => (part > 0 ? [`${parts[i]} ${count(part)}`] : []));
  return parts.length > 1 && named.length > 0 ? `${all} (${named.join(', ')})` : all;
}

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count, counted, dayOf } from '../formats.ts';
import { nextByKey } from '../parts/tabs.tsx';
import { chartScale } from './chart-scale.ts';
import type { DayUsage, DividedUsage } from './divided-usage.ts';

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

/** Share of a bar's slot left empty. */
const GAP = 0.25;
/** Width of a day label, in pixels. */
const NAME_WIDTH = 80;

/**
 * Bar chart by day. The pointer target of a bar is the full height. One bar has the focus; arrow
 * keys move it, and a line below describes it.
 */
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
          {days.map((day, i) => {
            const left = scale.left + i * scale.pitch;
            return (
              <g
                key={day.day}
                ref={(bar) => {
                  bars.current[i] = bar;
                }}
                class={selected === i ? 'bar bar-selected' : 'bar'}
                role="option"
                aria-selected={selected === i}
                aria-label={sentence(day, parts)}
                tabIndex={i === focusable ? 0 : -1}
                onFocus={() => {
                  setReached(i);
                  setSelected(i);
                }}
                onBlur={() => setSelected(null)}
                onPointerEnter={() => setSelected(i)}
              >
                <rect
                  class="bar-room"
                  x={left}
                  y={scale.top}
                  width={scale.pitch}
                  height={scale.yOf(0) - scale.top}
                />
                {stacked(day).map(({ from, to, part }) => (
                  <rect
                    key={part}
                    class={`part-${part}`}
                    x={left + (GAP / 2) * scale.pitch}
                    width={(1 - GAP) * scale.pitch}
                    y={scale.yOf(to)}
                    height={scale.yOf(from) - scale.yOf(to)}
                  />
                ))}
                {(days.length - 1 - i) % each === 0 && (
                  <text class="day" x={left + scale.pitch / 2} y={scale.height - 6}>
                    {shortDay(day.day)}
                  </text>
                )}
              </g>
            );
          })}
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

function stacked({ ofParts }: DayUsage) {
  let from = 0;
  return ofParts.flatMap((tokens, part) => {
    const piece = { from, to: from + tokens, part };
    from = piece.to;
    return tokens > 0 ? [piece] : [];
  });
}

const SHORT = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function shortDay(day: string): string {
  return SHORT.format(new Date(`${day}T00:00:00Z`));
}

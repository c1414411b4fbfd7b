import type { ChartScale } from './chart-scale.ts';
import type { DayUsage } from './divided-usage.ts';

/** Share of a bar's slot left empty. */
const GAP = 0.25;

/** The stacked bar of a day. The pointer target is its full height. */
export function UsageBar(props: {
  readonly day: DayUsage;
  readonly at: number;
  readonly scale: ChartScale;
  readonly name: string;
  readonly isNamed: boolean;
  readonly isSelected: boolean;
  readonly isFocusable: boolean;
  readonly barRef: (bar: SVGGElement | null) => void;
  readonly onTell: (at: number | null) => void;
  readonly onReach: (at: number) => void;
}) {
  const { day, at, scale, onTell, onReach } = props;
  const { pitch, yOf } = scale;
  const left = scale.left + at * pitch;
  return (
    <g
      ref={props.barRef}
      class={props.isSelected ? 'bar bar-selected' : 'bar'}
      role="option"
      aria-selected={props.isSelected}
      aria-label={props.name}
      tabIndex={props.isFocusable ? 0 : -1}
      onFocus={() => {
        onReach(at);
        onTell(at);
      }}
      onBlur={() => onTell(null)}
      onPointerEnter={() => onTell(at)}
    >
      <rect class="bar-room" x={left} y={scale.top} width={pitch} height={yOf(0) - scale.top} />
      {stacked(day).map(({ from, to, part }) => (
        <rect
          key={part}
          class={`part-${part}`}
          x={left + (GAP / 2) * pitch}
          width={(1 - GAP) * pitch}
          y={yOf(to)}
          height={yOf(from) - yOf(to)}
        />
      ))}
      {props.isNamed && (
        <text class="day" x={left + pitch / 2} y={scale.height - 6}>
          {shortDay(day.day)}
        </text>
      )}
    </g>
  );
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

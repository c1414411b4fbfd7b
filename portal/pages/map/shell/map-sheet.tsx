import type { ComponentChildren } from 'preact';
import type { Units } from '../../formats.ts';
import { ScaleBar } from '../../parts/units.tsx';
import type { MapMarker } from '../drawing/map-markers.ts';
import type { Scheme } from '../drawing/paint.ts';
import type { Swatch } from '../panels/legend.tsx';
import { STRIPES, StripePattern } from '../still/stripe-pattern.tsx';
import type { Frame } from '../tiles/frame.ts';

/** Colours of a sheet: those of the pages. */
const INKS: Readonly<
  Record<
    Scheme,
    { readonly paper: string; readonly ink: string; readonly quiet: string; readonly line: string }
  >
> = {
  light: { paper: '#ffffff', ink: '#1c2733', quiet: '#55606c', line: '#858c90' },
  dark: { paper: '#172026', ink: '#e7ecee', quiet: '#a0acb5', line: '#75838d' },
};

const MARGIN = 20;
/** A wider map has no longer scale bar. */
const MAX_SCALE_PX = 480;
const HEAD_PX = 70;
const ENTRY_PX = { width: 150, height: 26 };
const LINE_PX = 18;
/** Width of a letter of the sources in pixels; most are narrower. */
const LETTER_PX = 6.4;

interface SheetProps {
  readonly frame: Frame;
  readonly title: string;
  /** The place, and a sentence on the people in view. */
  readonly facts: string;
  readonly units: Units;
  readonly legend: readonly Swatch[];
  /** Release, dates of the data, credits. */
  readonly sources: readonly string[];
  readonly markers: readonly MapMarker[];
  readonly scheme: Scheme;
  /** The map, in the coordinates of the frame. */
  readonly children: ComponentChildren;
}

/** A picture to save: the map with its title, legend and sources, in fixed classes and colours. */
export function MapSheet(props: SheetProps) {
  const { frame, title, facts, legend, sources, scheme } = props;
  const { paper, ink, quiet, line } = INKS[scheme];
  const longest = Math.max(...legend.map(({ label }) => label.length));
  const wide = Math.max(ENTRY_PX.width, 40 + longest * 8);
  const columns = Math.max(1, Math.floor(frame.width / wide));
  const legendAt = HEAD_PX + frame.height + 16;
  const sourcesAt = legendAt + Math.ceil(legend.length / columns) * ENTRY_PX.height + 20;
  const lines = sources.flatMap((one) => wrapped(one, frame.width / LETTER_PX));
  const [width, height] = [frame.width + 2 * MARGIN, sourcesAt + lines.length * LINE_PX + 8];
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      font-family="'Noto Sans', system-ui, sans-serif"
    >
      <title>{title}</title>
      <StripePattern scheme={scheme} />
      <rect width={width} height={height} fill={paper} />
      <text
        x={MARGIN}
        y={32}
        font-size={titleSize(title, frame.width)}
        font-weight="600"
        fill={ink}
      >
        {title}
      </text>
      <text x={MARGIN} y={56} font-size={Math.min(14, titleSize(facts, frame.width))} fill={ink}>
        {facts}
      </text>
      <Framed {...props} />
      {legend.map((swatch, i) => (
        <Entry
          key={swatch.label}
          swatch={swatch}
          x={MARGIN + (i % columns) * wide}
          y={legendAt + Math.floor(i / columns) * ENTRY_PX.height}
          {...{ ink, line }}
        />
      ))}
      <g font-size="12" fill={quiet}>
        {lines.map((text, i) => (
          <text key={text} x={MARGIN} y={sourcesAt + i * LINE_PX}>
            {text}
          </text>
        ))}
      </g>
    </svg>
  );
}

/** The map in its frame, with its markers and a scale. */
function Framed({ frame, units, markers, scheme, children }: SheetProps) {
  const { paper, ink, line } = INKS[scheme];
  return (
    <g transform={`translate(${MARGIN} ${HEAD_PX})`}>
      <clipPath id="map-frame">
        <rect width={frame.width} height={frame.height} />
      </clipPath>
      <g clip-path="url(#map-frame)">
        {children}
        {markers.map((marker) => (
          <Marker key={marker.id} marker={marker} frame={frame} />
        ))}
      </g>
      <rect width={frame.width} height={frame.height} fill="none" stroke={line} />
      <ScaleBar
        x={16}
        y={frame.height - 16}
        width={Math.min(frame.width, MAX_SCALE_PX)}
        perMetre={frame.perMetre}
        units={units}
        ink={ink}
        halo={paper}
      />
    </g>
  );
}

function Entry(props: {
  readonly swatch: Swatch;
  readonly x: number;
  readonly y: number;
  readonly ink: string;
  readonly line: string;
}) {
  const { swatch, x, y, ink, line } = props;
  const { colour, stripe, label } = swatch;
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width="28" height="18" fill={stripe ? `url(#${STRIPES})` : colour} stroke={line} />
      <text x="38" y="14" font-size="14" fill={ink}>
        {label}
      </text>
    </g>
  );
}

function Marker({ marker, frame }: { readonly marker: MapMarker; readonly frame: Frame }) {
  const [x, y] = frame.placeOf(marker.at);
  const isOrigin = marker.kind === 'origin';
  return (
    <g transform={`translate(${x} ${y})`}>
      <circle
        r={isOrigin ? 12 : 7}
        fill={isOrigin ? '#14304f' : '#c2185b'}
        stroke="#ffffff"
        stroke-width="3"
      />
      <text y="4.5" font-size="13" font-weight="700" text-anchor="middle" fill="#ffffff">
        {marker.sign}
      </text>
    </g>
  );
}

/** Font size of a title; long titles are smaller, so that they stay on one line. */
function titleSize(title: string, width: number): number {
  return Math.max(11, Math.min(20, width / (title.length * 0.56)));
}

/** Breaks a text between words into lines of at most `letters` letters. */
function wrapped(text: string, letters: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= letters) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

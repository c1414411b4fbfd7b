import type { ComponentChildren } from 'preact';
import type { Boundary, Place } from '../api/api-answers.ts';
import { drawOutline } from './outline.ts';

const SIZE = { width: 480, height: 320, margin: 46 };

/** The outline of a place on a grid whose cells have a known size. */
export function PlaceMap(props: {
  readonly place: Place | null;
  readonly outline: Boundary | null;
}) {
  const { place, outline } = props;
  if (place === null || outline === null) return <Ground />;
  const { path, place: at, scale } = drawOutline(outline, SIZE);
  const [x, y] = at(place.lon, place.lat);
  return (
    <Ground label={`Outline of ${place.name}, ${place.state}`} square={scale.length / 2}>
      <path key={path} class="outline" d={path} fill-rule="evenodd" />
      <circle class="centre-halo" cx={x} cy={y} r="9" />
      <circle class="centre" cx={x} cy={y} r="4" />
      <text class="place-name" x="20" y="32">
        {place.name}, {place.state}
      </text>
      <g class="scale" transform={`translate(20 ${SIZE.height - 20})`}>
        <path d={`M0 -6V0H${scale.length}V-6`} />
        <text x={scale.length + 8} y="0">
          {lengthOf(scale.metres)}
        </text>
      </g>
      <text class="position" x={SIZE.width - 20} y={SIZE.height - 20}>
        {degrees(place.lat, 'N', 'S')} {degrees(place.lon, 'E', 'W')}
      </text>
    </Ground>
  );
}

function Ground(props: {
  readonly label?: string;
  readonly square?: number;
  readonly children?: ComponentChildren;
}) {
  const { label, square = 40, children } = props;
  return (
    <svg
      class="map"
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      <defs>
        <pattern
          id="squares"
          width={square}
          height={square}
          x={SIZE.width / 2}
          y={SIZE.height / 2}
          patternUnits="userSpaceOnUse"
        >
          <path class="square" d={`M${square} 0H0V${square}`} />
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill="url(#squares)" />
      {children}
    </svg>
  );
}

function lengthOf(metres: number): string {
  return metres < 1000 ? `${metres} m` : `${metres / 1000} km`;
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(3)}° ${value < 0 ? negative : positive}`;
}

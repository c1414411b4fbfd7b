import { useId } from 'preact/hooks';
import { roundLength, type Units } from '../formats.ts';
import { useFollowed } from './use-followed.ts';

const KEY = 'units';
const CHANGED = 'units-changed';

/** The units of this browser, as chosen in `UnitsChoice`; US customary ones by default. */
export function useUnits(): Units {
  return useFollowed(storedUnits, window, CHANGED);
}

/** The units of this browser at this moment; those of `useUnits` are kept up to date. */
export function storedUnits(): Units {
  try {
    return localStorage.getItem(KEY) === 'metric' ? 'metric' : 'us';
  } catch {
    // A page of another site may allow no storage.
    return 'us';
  }
}

export function UnitsChoice() {
  const units = useUnits();
  const id = useId();
  return (
    <p class="units">
      <label for={id}>Units</label>
      <select
        id={id}
        value={units}
        onChange={(event) => {
          localStorage.setItem(KEY, event.currentTarget.value);
          dispatchEvent(new Event(CHANGED));
        }}
      >
        <option value="us">Miles and acres</option>
        <option value="metric">Kilometers and hectares</option>
      </select>
    </p>
  );
}

/** Maximum length of a scale bar, as a share of the width of its picture. */
const SCALE_SHARE = 0.3;

/**
 * A scale bar in a picture, with presentation attributes only, since a file has no style sheet.
 * `perMetre`: length of a metre in the picture, in which it ends at `x`, `y` at the lower left.
 */
export function ScaleBar(props: {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly perMetre: number;
  readonly units: Units;
  readonly ink: string;
  readonly halo: string;
}) {
  const { x, y, width, perMetre, units, ink, halo } = props;
  const { metres, text } = roundLength((SCALE_SHARE * width) / perMetre, units);
  const bar = `M0 -6V0H${metres * perMetre}V-6`;
  return (
    <g transform={`translate(${x} ${y})`} fill="none" stroke-linejoin="round">
      <path d={bar} stroke={halo} stroke-width="5" />
      <path d={bar} stroke={ink} stroke-width="1.5" />
      <text
        x={metres * perMetre + 8}
        font-size="13"
        fill={ink}
        stroke={halo}
        stroke-width="4"
        paint-order="stroke"
      >
        {text}
      </text>
    </g>
  );
}

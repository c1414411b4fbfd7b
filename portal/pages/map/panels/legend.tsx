import { CLASS_ENDS, classLabel, MAP_COLOURS } from '../../../map-classes.ts';
import type { BaseMap } from '../base-map-style.ts';
import type { Scheme } from '../drawing/paint.ts';

/** The classes of the map, and what is in none of them. */
export function Legend(props: { readonly scheme: Scheme; readonly baseMap: BaseMap | null }) {
  const { scheme, baseMap } = props;
  const { classes, beyond, stripe, outside, water } = MAP_COLOURS[scheme];
  return (
    <ul class="map-legend">
      {CLASS_ENDS.map((end, i) => (
        <Entry key={end} colour={classes[i]} label={`${classLabel(i)} min`} />
      ))}
      <Entry colour={beyond} label="over 30 min" />
      <Entry colour={beyond} stripe={stripe} label="no street near" />
      {baseMap === null && <Entry colour={outside} label="water, or outside the data" />}
      {baseMap && 'archive' in baseMap && (
        <>
          <Entry colour={water} label="water" />
          <Entry colour={outside} label="outside the data" />
        </>
      )}
    </ul>
  );
}

const WIDTH = 28;
const HEIGHT = 18;
/** As on the map. */
const PERIOD = 8;

function Entry(props: {
  readonly colour: string;
  readonly stripe?: string;
  readonly label: string;
}) {
  const { colour, stripe, label } = props;
  return (
    <li>
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true">
        <rect width={WIDTH} height={HEIGHT} fill={colour} />
        {stripe && (
          <path
            d={Array.from(
              { length: (WIDTH + HEIGHT) / PERIOD + 1 },
              (_, i) => `M${i * PERIOD} -1L${i * PERIOD - HEIGHT - 2} ${HEIGHT + 1}`,
            ).join('')}
            stroke={stripe}
            stroke-width="1.75"
          />
        )}
        <rect class="swatch-edge" x=".5" y=".5" width={WIDTH - 1} height={HEIGHT - 1} />
      </svg>
      {label}
    </li>
  );
}

import { BEYOND, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { MAP_COLOURS } from '../../../map-classes.ts';
import { counted } from '../../formats.ts';
import { classWords } from '../blocks/block-bands.ts';
import type { BaseMap } from '../catalogue/catalogue.ts';
import type { Scheme } from '../drawing/paint.ts';
import { DEAD_BAND_MINUTES, LARGE_MINUTES } from '../measures/comparison.ts';
import { CLASS_MINUTES } from '../measures/reach.ts';

export interface Swatch {
  readonly colour: string;
  /** Colour of the stripes over `colour`, if any. */
  readonly stripe?: string;
  readonly label: string;
  /** Shorter words, where there is little room. */
  readonly short?: string;
}

export function Swatches(props: {
  /** Whether the words are too long for two columns. */
  readonly isSingle?: boolean;
  readonly entries: readonly Swatch[];
}) {
  const { isSingle = false, entries } = props;
  return (
    <ul class={isSingle ? 'map-legend is-single' : 'map-legend'}>
      {entries.map(({ colour, stripe, label }) => (
        <li key={label}>
          <SwatchBox colour={colour} {...(stripe && { stripe })} />
          {label}
        </li>
      ))}
    </ul>
  );
}

export function SwatchBox({ colour, stripe }: Pick<Swatch, 'colour' | 'stripe'>) {
  return (
    <svg width={WIDTH} height={HEIGHT} aria-hidden="true">
      <rect width={WIDTH} height={HEIGHT} fill={colour} />
      {stripe && <path d={STRIPES} stroke={stripe} stroke-width="1.75" />}
      <rect class="swatch-edge" x=".5" y=".5" width={WIDTH - 1} height={HEIGHT - 1} />
    </svg>
  );
}

const WIDTH = 28;
const HEIGHT = 18;
/** Distance between stripes in pixels, as on the map. */
const PERIOD = 8;
const STRIPES = Array.from(
  { length: (WIDTH + HEIGHT) / PERIOD + 1 },
  (_, i) => `M${i * PERIOD} -1L${i * PERIOD - HEIGHT - 2} ${HEIGHT + 1}`,
).join('');

/**
 * Bands in the order of a legend: nearest first, then over 30 minutes, then without a street near.
 */
export const BAND_ORDER = [1, 2, 3, 4, 5, 6, BEYOND, UNROUTED];

export function bandSwatch(band: number, scheme: Scheme): Swatch {
  const { classes, beyond, stripe } = MAP_COLOURS[scheme];
  return {
    colour: classes[band - 1] ?? beyond,
    ...(band === UNROUTED && { stripe }),
    label: classWords(band),
  };
}

/**
 * Swatches of the surroundings of the blocks; none for a style of another service, which has
 * colours of its own.
 */
export function groundSwatches(baseMap: BaseMap | null, scheme: Scheme): readonly Swatch[] {
  const { outside, water } = MAP_COLOURS[scheme];
  if (baseMap === null) return [{ colour: outside, label: 'water, or outside the data' }];
  if (!('archive' in baseMap)) return [];
  return [
    { colour: water, label: 'water' },
    { colour: outside, label: 'outside the data' },
  ];
}

/** Swatches of the classes of `classMinutes` each within some minutes. */
export function reachSwatches(
  scheme: Scheme,
  within: number,
  classMinutes = CLASS_MINUTES,
): readonly Swatch[] {
  const { classes, beyond } = MAP_COLOURS[scheme];
  return [
    ...classes.slice(0, Math.ceil(within / classMinutes)).map((colour, i) => ({
      colour,
      label: `${i * classMinutes}–${Math.min(within, (i + 1) * classMinutes)} min`,
    })),
    { colour: beyond, label: `over ${within} min` },
  ];
}

export function differenceSwatches(scheme: Scheme): readonly Swatch[] {
  const { difference, beyond } = MAP_COLOURS[scheme];
  const labels = [
    'only A',
    `A sooner by over ${LARGE_MINUTES} min`,
    `A sooner by ${DEAD_BAND_MINUTES + 1}–${LARGE_MINUTES} min`,
    `alike: at most ${counted(DEAD_BAND_MINUTES, 'minute')} apart`,
    `B sooner by ${DEAD_BAND_MINUTES + 1}–${LARGE_MINUTES} min`,
    `B sooner by over ${LARGE_MINUTES} min`,
    'only B',
  ];
  return [
    ...difference.map((colour, i) => ({ colour, label: labels[i] })),
    { colour: beyond, label: 'neither' },
  ];
}

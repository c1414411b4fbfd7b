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

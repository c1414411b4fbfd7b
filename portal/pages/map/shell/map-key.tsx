import type { Swatch } from '../panels/swatches.tsx';

/** Maximum length of a label in a key; longer ones are in the legend of the panel only. */
const MAX_LETTERS = 11;

/** The classes of a legend in one line over the map, for phones, where its panel lies lower. */
export function MapKey({ legend }: { readonly legend: readonly Swatch[] }) {
  const timed = legend
    .map(({ colour, stripe, label, short = label }) => ({ colour, stripe, label: short }))
    .filter(({ label, stripe }) => label.length <= MAX_LETTERS && /\d/.test(label) && !stripe);
  if (timed.length < 2) return null;
  return (
    <div class="map-key" aria-hidden="true">
      {timed.map(({ colour, label }) => (
        <span key={label}>
          <svg viewBox="0 0 10 4" preserveAspectRatio="none" aria-hidden="true">
            <rect width="10" height="4" fill={colour} />
          </svg>
          {label.replace(' min', '').replace('over ', '> ')}
        </span>
      ))}
      {timed.some(({ label }) => label.endsWith(' min')) && <span>min</span>}
    </div>
  );
}

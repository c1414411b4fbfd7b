import { CLASS_ENDS, classLabel, MAP_COLOURS } from '../../../map-classes.ts';
import type { BaseMap } from '../base-map-style.ts';
import type { Scheme } from '../drawing/paint.ts';
import { type Swatch, Swatches } from './swatches.tsx';

/** The classes of the map, and what is in none of them. */
export function Legend(props: { readonly scheme: Scheme; readonly baseMap: BaseMap | null }) {
  const { scheme, baseMap } = props;
  const { classes, beyond, stripe } = MAP_COLOURS[scheme];
  const entries: readonly Swatch[] = [
    ...CLASS_ENDS.map((_, i) => ({ colour: classes[i], label: `${classLabel(i)} min` })),
    { colour: beyond, label: 'over 30 min' },
    { colour: beyond, stripe, label: 'no street near' },
    ...groundOf(scheme, baseMap),
  ];
  return <Swatches entries={entries} />;
}

/** Swatches of the ground; none below another service's style, whose colours are its own. */
function groundOf(scheme: Scheme, baseMap: BaseMap | null): readonly Swatch[] {
  const { outside, water } = MAP_COLOURS[scheme];
  if (baseMap === null) return [{ colour: outside, label: 'water, or outside the data' }];
  if (!('archive' in baseMap)) return [];
  return [
    { colour: water, label: 'water' },
    { colour: outside, label: 'outside the data' },
  ];
}

import { MAP_COLOURS } from '../../../../map-classes.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Scheme } from '../../drawing/paint.ts';
import { CATCHMENT_CLASS_MINUTES, CLASS_MINUTES } from '../../measures/reach.ts';
import { catchmentSwatches, nearestSwatches, reachSwatches } from '../../panels/legend-swatches.ts';
import type { Swatch } from '../../panels/swatches.tsx';
import { MAX_CATCHMENT_MINUTES, MAX_MINUTES, type MapState } from '../../state/map-state.ts';

/** The longest minutes that are coloured, and the width of a class, for some minutes that count. */
export function classesWithin(within: number): [most: number, width: number] {
  return within <= MAX_CATCHMENT_MINUTES
    ? [MAX_CATCHMENT_MINUTES, CATCHMENT_CLASS_MINUTES]
    : [MAX_MINUTES, CLASS_MINUTES];
}

/** Colours of one, two, and three or more sites: the last is the darkest in light maps. */
const OVERLAP_CLASSES = [5, 3, 1];

/** The class of a block that has so many sites near. */
export function overlapClass(sites: number): number {
  return sites === 0 ? 0 : OVERLAP_CLASSES[Math.min(sites, OVERLAP_CLASSES.length) - 1];
}

/** Swatches of the blocks near sites; before they are loaded, none of classes. */
export function sitesSwatches(
  { sitesType, sitesBy, sitesColoured }: MapState,
  { baseMap }: Pick<Catalogue, 'baseMap'>,
  scheme: Scheme,
  hasReaches: boolean,
): readonly Swatch[] {
  if (sitesType !== null) return nearestSwatches(baseMap, scheme);
  if (!hasReaches) return [];
  if (sitesColoured === 'overlap') {
    const { classes, beyond } = MAP_COLOURS[scheme];
    return [
      ...OVERLAP_CLASSES.map((one, i) => ({
        colour: classes[one - 1],
        label: ['one site', 'two sites', 'three or more'][i],
      })),
      { colour: beyond, label: 'none' },
    ];
  }
  const [most] = classesWithin(sitesBy.within);
  return most === MAX_MINUTES ? reachSwatches(scheme, MAX_MINUTES) : catchmentSwatches(scheme);
}

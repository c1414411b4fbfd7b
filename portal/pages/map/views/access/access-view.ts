import { countedType } from '../../../../../shards/access/access-columns.ts';
import { UNROUTED } from '../../../../../shards/bands/time-bands.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { count, percent } from '../../../formats.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { countWords } from '../../blocks/block-bands.ts';
import { accessListing } from '../../blocks/block-lists.ts';
import type { Tally } from '../../blocks/coloured-blocks.ts';
import { accessMeasure, type ClassedAccess } from '../../blocks/measures.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { byMode } from '../../catalogue/mode-words.ts';
import { PLACE_DIGITS } from '../../state/area.ts';
import type { Access, Choice } from '../../state/choice.ts';
import { type FreeView, freeView } from '../free-view.tsx';
import { type MapRequest, type MapView, mapRequest, type Viewed } from '../map-view.ts';

export const access: FreeView<ClassedAccess, Tally> = {
  measure: (_, { access, service }) => access && accessMeasure({ ...access.count, mode: service }),
  picture({ catalogue, choice: { access, mode, service } }) {
    return {
      name: `access ${JSON.stringify(access?.count ?? null)} ${service}`,
      modes: [mode],
      pois: catalogue.poisOf(countedLeaves(catalogue, access), [mode]),
    };
  },
  classes: ({ classes, bounds }) =>
    classes.map((one) => (one === UNROUTED ? 0 : colourClass(one, bounds ?? []))),
  words({ classes, bounds }, i, { choice: { access } }) {
    if (access === null || bounds === null) return null;
    const words = countWords(classes[i], bounds);
    if (classes[i] === UNROUTED) return words;
    return `${words} ${access.weight.unit} ${withinWords(access)}`;
  },
  rows(of, { scheme }) {
    // Most within reach first; none until the bounds are known.
    const bounds = of?.bounds ?? null;
    if (bounds === null) return [];
    const { classes, beyond, stripe } = MAP_COLOURS[scheme];
    const ascending = Array.from({ length: bounds.length + 1 }, (_, i) => i + 1);
    return [...ascending.reverse(), UNROUTED].map((one) => ({
      swatch: {
        colour: one === UNROUTED ? beyond : classes[colourClass(one, bounds) - 1],
        ...(one === UNROUTED && { stripe }),
        label: countWords(one, bounds),
        short: shortWords(one, bounds),
      },
      peopleOf: ({ people }) => people[one],
    }));
  },
  say: ({ of: { bounds }, sums }, { choice: { access } }) =>
    bounds === null || access === null
      ? () => 'This release does not have these counts.'
      : sayReach(access, bounds, sums),
  list: ({ classes, bounds }, { choice: { access, times } }) =>
    access && bounds && accessListing(classes, bounds, { ...access.count, ...times }),
};

export const accessView: MapView = {
  name: 'Access',
  sides: 0,
  title: ({ choice: { access } }) =>
    access ? `${access.weight.label} ${withinWords(access)}` : 'Within reach',
  modes: ({ mode }) => [mode],
  Panel: onRequest('the view', async () => (await import('./access-panel.tsx')).AccessPanel),
  requests: (of) => [exactRequest(of)].flatMap((one) => one ?? []),
  ...freeView(access),
};

/** The request for the exact counts of the chosen place, or of a county. */
function exactRequest({ choice: { access, times }, inView, area }: Viewed): MapRequest | null {
  if (access === null) return null;
  const { mode, minutes, direction, of } = access.count;
  const query = { of: [of], mode: [mode], minutes: [minutes], direction, ...times };
  const chosen = area.value;
  if (typeof chosen?.area === 'string' && chosen.area.length === PLACE_DIGITS) {
    const place = { geoid: chosen.area, ...query };
    return mapRequest(`Exact numbers of ${chosen.name}`, 'getPlaceAccess', place);
  }
  const blocks = chosen?.blocks ?? inView.value?.blocks;
  const [county] = blocks?.counties ?? [];
  if (county === undefined) return null;
  const inCounty = { fips: county.code, ...query };
  return mapRequest(`Exact numbers of ${county.name}`, 'getCountyAccess', inCounty);
}

/** The leaf types whose POIs are counted; none of a weight. */
function countedLeaves({ types, parents }: Catalogue, access: Choice['access']): readonly number[] {
  const counted = access && countedType(access.weight.weight);
  return [...types, ...parents].find(({ id }) => id === counted)?.leaves ?? [];
}

/** `within 45 min by transit`, or `who get here within 45 min by transit`. */
export function withinWords({ count: { direction, minutes, mode } }: Access): string {
  const within = `within ${minutes} min ${byMode(mode)}`;
  return direction === 'from' ? within : `who get here ${within}`;
}

/** The colour of a class, from 1: most within reach has the colour of the nearest. */
function colourClass(one: number, bounds: readonly number[]): number {
  return bounds.length + 2 - one;
}

/** Few letters for a class: `30K+`, `<1.5K`, `0`. */
function shortWords(one: number, bounds: readonly number[]): string {
  const few = new Intl.NumberFormat('en-US', { notation: 'compact' });
  if (one > 1) return `${few.format(bounds[one - 2])}+`;
  return bounds[0] === 1 ? '0' : `<${few.format(bounds[0] ?? 0)}`;
}

/**
 * Says which share of people reach the highest bound that at least half of those in view reach, so
 * that the share of an area can be compared.
 */
function sayReach(
  { weight: { unit }, count: { direction } }: Access,
  bounds: readonly number[],
  inView: Tally,
) {
  const half = bounds.findLastIndex((_, i) => shareReaching(inView, i) >= 0.5);
  const at = Math.max(0, half);
  const verb = direction === 'from' ? 'reach' : 'are reached by';
  return (sums: Tally, where: string): string => {
    const people = `${count(sums.allPeople)} people`;
    if (bounds.length === 0) return `${people} are ${where}.`;
    const share = percent(shareReaching(sums, at));
    return `${share} of ${people} ${where} ${verb} ${count(bounds[at])} or more ${unit}.`;
  };
}

/** The share of the people who have a class above a bound. */
function shareReaching({ people, allPeople }: Tally, bound: number): number {
  return people.slice(bound + 2).reduce((sum, one) => sum + one, 0) / allPeople;
}

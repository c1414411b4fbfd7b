import { countedType, minutesCounted } from '../../../../../shards/access/access-columns.ts';
import { UNROUTED } from '../../../../../shards/bands/time-bands.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { Mode } from '../../../../client/src/index.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { count, percent } from '../../../formats.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { countWords } from '../../blocks/block-bands.ts';
import { accessListing } from '../../blocks/block-lists.ts';
import type { Tally } from '../../blocks/coloured-blocks.ts';
import { accessMeasure, type ClassedAccess } from '../../blocks/measures.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { byMode } from '../../catalogue/mode-words.ts';
import type { Weight } from '../../catalogue/weights.ts';
import { timingOf } from '../../catalogue/windows.ts';
import { PLACE_DIGITS } from '../../state/area.ts';
import type { Choice } from '../../state/choice.ts';
import { type Direction, type MapState, minutesOf } from '../../state/map-state.ts';
import { type FreeView, freeView } from '../free-view.tsx';
import { type MapRequest, type MapView, mapRequest, type Viewed } from '../map-view.ts';

export const access: FreeView<ClassedAccess, Tally> = {
  measure(state, choice) {
    const asked = accessChoice(state, choice);
    return asked && accessMeasure({ ...asked.count, mode: choice.service });
  },
  picture({ catalogue, state, choice }) {
    return {
      name: `access ${JSON.stringify(accessChoice(state, choice)?.count ?? null)} ${choice.service}`,
      modes: [choice.mode],
      pois: catalogue.poisOf(countedLeaves(catalogue, choice.counted), [choice.mode]),
    };
  },
  classes: ({ classes, bounds }) =>
    classes.map((one) => (one === UNROUTED ? 0 : colourClass(one, bounds ?? []))),
  words({ classes, bounds }, i, { state, choice }) {
    const asked = accessChoice(state, choice);
    if (asked === null || bounds === null) return null;
    const words = countWords(classes[i], bounds);
    if (classes[i] === UNROUTED) return words;
    return `${words} ${asked.weight.unit} ${withinWords(asked.count)}`;
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
  say({ of: { bounds }, sums }, { state, choice }) {
    const asked = accessChoice(state, choice);
    return bounds === null || asked === null
      ? () => 'This release does not have these counts.'
      : sayReach(asked, bounds, sums);
  },
  list({ classes, bounds }, { state, choice }) {
    const asked = accessChoice(state, choice);
    return asked && bounds && accessListing(classes, bounds, { ...asked.count, ...asked.times });
  },
};

export const accessView: MapView = {
  name: 'Access',
  sides: 0,
  title({ state, choice }) {
    const asked = accessChoice(state, choice);
    return asked ? `${asked.weight.label} ${withinWords(asked.count)}` : 'Within reach';
  },
  modes: ({ mode }) => [mode],
  Panel: onRequest('the view', async () => (await import('./access-panel.tsx')).AccessPanel),
  requests: (of) => [exactRequest(of)].flatMap((one) => one ?? []),
  ...freeView(access),
};

/** The request for the exact counts of the chosen place, or of a county. */
function exactRequest({ state, choice, inView, area }: Viewed): MapRequest | null {
  const asked = accessChoice(state, choice);
  if (asked === null) return null;
  const { mode, minutes, direction, of } = asked.count;
  const query = { of: [of], mode: [mode], minutes: [minutes], direction, ...asked.times };
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

/** A weight or a type, and how it is counted within reach of every block. */
interface AccessChoice {
  readonly weight: Weight;
  /** Members that name its window and percentile, if they are not those of every release. */
  readonly times: Partial<Timing>;
  readonly count: {
    readonly of: string;
    readonly direction: Direction;
    readonly mode: Mode;
    readonly minutes: number;
  };
}

/** The count that a state chooses; null if the release counts nothing within reach. */
export function accessChoice(state: MapState, choice: Choice): AccessChoice | null {
  const { counted: weight, mode, timing } = choice;
  if (weight === null) return null;
  const minutes = Math.min(minutesOf(state), minutesCounted(weight.weight).at(-1)!);
  const direction = isType(weight) ? 'from' : state.direction;
  return {
    weight,
    times: timingOf([mode], timing),
    count: { of: weight.weight, direction, mode, minutes },
  };
}

/** Whether POIs of a type are counted, which is from a block only. */
export function isType({ weight }: Weight): boolean {
  return countedType(weight) !== null;
}

/** The leaf types whose POIs are counted; none of a weight. */
function countedLeaves({ types, parents }: Catalogue, weight: Weight | null): readonly number[] {
  const counted = weight && countedType(weight.weight);
  return [...types, ...parents].find(({ id }) => id === counted)?.leaves ?? [];
}

/** `within 45 min by transit`, or `who get here within 45 min by transit`. */
export function withinWords({ direction, minutes, mode }: AccessChoice['count']): string {
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
  { weight: { unit }, count: { direction } }: AccessChoice,
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

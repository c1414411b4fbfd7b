import { countedType, minutesCounted } from '../../../../../shards/access/access-columns.ts';
import { UNROUTED } from '../../../../../shards/bands/time-bands.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { Mode } from '../../../../client/src/index.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { count, percent } from '../../../formats.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { countWords } from '../../blocks/block-bands.ts';
import type { Tally } from '../../blocks/coloured-blocks.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { byMode } from '../../catalogue/mode-words.ts';
import type { Weight } from '../../catalogue/weights.ts';
import { timingOf } from '../../catalogue/windows.ts';
import type { Scheme } from '../../drawing/paint.ts';
import { groundSwatches } from '../../panels/legend-swatches.ts';
import type { PeopleRow } from '../../panels/people-legend.tsx';
import { summaryOf } from '../../panels/people-sentences.tsx';
import { PLACE_DIGITS } from '../../state/area.ts';
import type { Choice } from '../../state/choice.ts';
import { type Direction, type MapState, minutesOf } from '../../state/map-state.ts';
import { type MapRequest, type MapView, mapRequest, type Viewed } from '../map-view.ts';

export const accessView: MapView = {
  name: 'Access',
  sides: 0,
  title({ state, choice }) {
    const asked = accessChoice(state, choice);
    return asked ? `${asked.weight.label} ${withinWords(asked.count)}` : 'Within reach';
  },
  summary: (of) => summaryOf(of.access, of.area, sayAccess(of)),
  legend(of) {
    const { catalogue, scheme } = of;
    const rows = accessRows(of, scheme);
    return [...rows.map(({ swatch }) => swatch), ...groundSwatches(catalogue.baseMap, scheme)];
  },
  modes: ({ mode }) => [mode],
  shown({ catalogue, state, choice, access }) {
    const view = access.value;
    const bounds = view?.of.bounds ?? [];
    return {
      of: 'classes',
      name: `access ${JSON.stringify(accessChoice(state, choice)?.count ?? null)} ${choice.service}`,
      modes: [choice.mode],
      pois: catalogue.poisOf(countedLeaves(catalogue, choice.counted), [choice.mode]),
      blocks: view && {
        geoids: view.blocks.geoids,
        classes: view.of.classes.map((one) => (one === UNROUTED ? 0 : colourClass(one, bounds))),
      },
    };
  },
  minutesOf({ state, choice, access }, geoid) {
    const asked = accessChoice(state, choice);
    if (asked === null || !access.value?.of.bounds) return null;
    const { blocks, of } = access.value;
    const at = blocks.geoids.indexOf(geoid);
    if (at === -1) return null;
    const words = countWords(of.classes[at], access.value.of.bounds);
    if (of.classes[at] === UNROUTED) return words;
    return `${words} ${asked.weight.unit} ${withinWords(asked.count)}`;
  },
  Panel: onRequest('the view', async () => (await import('./access-panel.tsx')).AccessPanel),
  requests: (of) => [exactRequest(of)].flatMap((one) => one ?? []),
};

/** The request for the exact counts of the chosen place, or of a county. */
function exactRequest({ state, choice, access, area }: Viewed): MapRequest | null {
  const asked = accessChoice(state, choice);
  if (asked === null) return null;
  const { mode, minutes, direction, of } = asked.count;
  const query = { of: [of], mode: [mode], minutes: [minutes], direction, ...asked.times };
  const chosen = area.value;
  if (typeof chosen?.area === 'string' && chosen.area.length === PLACE_DIGITS) {
    const place = { geoid: chosen.area, ...query };
    return mapRequest(`Exact numbers of ${chosen.name}`, 'getPlaceAccess', place);
  }
  const blocks = chosen?.blocks ?? access.value?.blocks;
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

/** Rows of the legend, most within reach first; none until the bounds are known. */
export function accessRows(
  { access }: Pick<Viewed, 'access'>,
  scheme: Scheme,
): readonly PeopleRow[] {
  const bounds = access.value?.of.bounds ?? null;
  if (access.value === null || bounds === null) return [];
  const { sums, inArea } = access.value;
  const { classes, beyond, stripe } = MAP_COLOURS[scheme];
  const ascending = Array.from({ length: bounds.length + 1 }, (_, i) => i + 1);
  return [...ascending.reverse(), UNROUTED].map((one) => ({
    swatch: {
      colour: one === UNROUTED ? beyond : classes[colourClass(one, bounds) - 1],
      ...(one === UNROUTED && { stripe }),
      label: countWords(one, bounds),
      short: shortWords(one, bounds),
    },
    people: sums.people[one],
    inArea: inArea?.people[one],
  }));
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
export function sayAccess({
  access: { value: view },
  state,
  choice,
}: Pick<Viewed, 'access' | 'choice'> & { readonly state: MapState }) {
  const asked = accessChoice(state, choice);
  const bounds = view?.of.bounds ?? null;
  if (view === null || bounds === null || asked === null) {
    return () => 'This release does not have these counts.';
  }
  const half = bounds.findLastIndex((_, i) => shareReaching(view.sums, i) >= 0.5);
  const at = Math.max(0, half);
  const verb = asked.count.direction === 'from' ? 'reach' : 'are reached by';
  return (sums: Tally, where: string): string => {
    const people = `${count(sums.allPeople)} people`;
    if (sums.allPeople === 0) return `There are no people ${where}.`;
    if (bounds.length === 0) return `${people} are ${where}.`;
    const share = percent(shareReaching(sums, at));
    return `${share} of ${people} ${where} ${verb} ${count(bounds[at])} or more ${asked.weight.unit}.`;
  };
}

/** The share of the people who have a class above a bound. */
function shareReaching({ people, allPeople }: Tally, bound: number): number {
  return people.slice(bound + 2).reduce((sum, one) => sum + one, 0) / allPeople;
}

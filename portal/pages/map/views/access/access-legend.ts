import { UNROUTED } from '../../../../../shards/bands/time-bands.ts';
import { byMode } from '../../../../../shards/modes.ts';
import type { Mode } from '../../../../client/src/index.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { count, percent } from '../../../formats.ts';
import { countWords } from '../../blocks/block-bands.ts';
import type { Weight } from '../../catalogue/weights.ts';
import type { Scheme } from '../../drawing/paint.ts';
import type { PeopleRow } from '../../panels/people-legend.tsx';
import { UNCOUNTED } from '../../panels/words.tsx';
import type { Choice } from '../../state/choice.ts';
import { type Direction, type MapState, minutesOf } from '../../state/map-state.ts';
import type { Viewed } from '../map-view.ts';

/** A weight, and how it is counted within reach of every block. */
interface AccessChoice {
  readonly weight: Weight;
  readonly count: {
    readonly of: string;
    readonly direction: Direction;
    readonly mode: Mode;
    readonly minutes: number;
  };
}

/** The count that a state chooses; null if the release counts nothing within reach. */
export function accessChoice(state: MapState, choice: Choice): AccessChoice | null {
  const { counted: weight, mode } = choice;
  if (weight === null) return null;
  const { direction } = state;
  return {
    weight,
    count: { of: weight.weight, direction, mode, minutes: minutesOf(state) },
  };
}

/** `within 45 min by transit`, or `who get here within 45 min by transit`. */
export function withinWords({ direction, minutes, mode }: AccessChoice['count']): string {
  const within = `within ${minutes} min ${byMode(mode)}`;
  return direction === 'from' ? within : `who get here ${within}`;
}

/** The colour of a class, from 1: most within reach has the colour of the nearest. */
export function colourClass(one: number, bounds: readonly number[]): number {
  return bounds.length + 2 - one;
}

/** Rows of the legend, most within reach first; none until the bounds are known. */
export function accessRows(
  { access }: Pick<Viewed, 'access'>,
  scheme: Scheme,
): readonly PeopleRow[] {
  if (access.state !== 'here' || access.view.of.bounds === null) return [];
  const { sums, inArea } = access.view;
  const { bounds } = access.view.of;
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

/** Few letters for a class: `30K+`, `<1.5K`. */
function shortWords(one: number, bounds: readonly number[]): string {
  const few = new Intl.NumberFormat('en-US', { notation: 'compact' });
  return one > 1 ? `${few.format(bounds[one - 2])}+` : `<${few.format(bounds[0] ?? 0)}`;
}

/** A sentence on how many are within reach of the people in view, or on why it is not known. */
export function accessSentence({
  access,
  state,
  choice,
}: Pick<Viewed, 'access' | 'choice'> & { readonly state: MapState }): string {
  if (access.state !== 'here') return UNCOUNTED[access.state];
  const asked = accessChoice(state, choice);
  const { of, sums } = access.view;
  if (of.bounds === null || asked === null) {
    return 'This release does not have these counts.';
  }
  if (sums.allPeople === 0) return 'No one lives in the area shown.';
  // The highest bound that at least half of the people reach.
  const reaching = (one: number) =>
    sums.people.slice(one + 1).reduce((sum, people) => sum + people, 0) / sums.allPeople;
  const at = of.bounds.findLastIndex((_, i) => reaching(i + 1) >= 0.5);
  const [bound, share] =
    at === -1 ? [of.bounds[0], reaching(1)] : [of.bounds[at], reaching(at + 1)];
  if (bound === undefined) return `${count(sums.allPeople)} people are in view.`;
  const { unit } = asked.weight;
  const verb = asked.count.direction === 'from' ? 'reach' : 'are reached by';
  return `${percent(share)} of ${count(sums.allPeople)} people in view ${verb} ${count(bound)} ${unit} or more.`;
}

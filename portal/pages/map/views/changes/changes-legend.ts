import { MAP_COLOURS } from '../../../../map-classes.ts';
import { count, percent } from '../../../formats.ts';
import { classWords } from '../../blocks/block-bands.ts';
import type { Tally } from '../../blocks/coloured-blocks.ts';
import { anyOf } from '../../catalogue/type-nouns.ts';
import type { Scheme } from '../../drawing/paint.ts';
import {
  CHANGE_CLASSES,
  changedPeople,
  LACKING,
  NEITHER,
  NOT_KNOWN,
} from '../../measures/changes.ts';
import type { PeopleRow } from '../../panels/people-legend.tsx';
import type { LoadedChanges } from '../map-view.ts';

/** Words for each class, and few words for a table beside a sentence on classes. */
const LABELS: Readonly<Record<number, readonly [label: string, short: string]>> = {
  1: ['newly within 30 min', 'now within 30'],
  2: ['sooner by 2 or more classes of 5 min', 'sooner by 2+'],
  3: ['sooner by 1 class', 'sooner by 1'],
  4: ['same class', 'same'],
  5: ['later by 1 class', 'later by 1'],
  6: ['later by 2 or more classes', 'later by 2+'],
  7: ['no longer within 30 min', 'now over 30'],
  [NEITHER]: ['over 30 min in both', 'stays over 30'],
  [NOT_KNOWN]: ['no street near, or not in both releases', 'not known'],
};

/**
 * Rows of the legend, from the best change to the worst; people are null until counted. `isShort`:
 * in few words.
 */
export function changeRows(
  changes: LoadedChanges,
  scheme: Scheme,
  isShort = false,
): readonly PeopleRow[] {
  const view = changes.state === 'here' ? changes.view : null;
  const { difference, beyond, stripe } = MAP_COLOURS[scheme];
  return [...CHANGE_CLASSES, NEITHER, NOT_KNOWN].map((one) => ({
    swatch: {
      colour: difference[one - 1] ?? beyond,
      ...(one === NOT_KNOWN && { stripe }),
      label: LABELS[one][isShort ? 1 : 0],
    },
    people: view?.sums.people[one] ?? null,
    inArea: view?.inArea?.people[one],
  }));
}

/** Says how many people have the nearest POI in another class than before. */
export function sayChanges(typeName: string) {
  return ({ people }: Tally, where: string): string => {
    const { sooner, later, all } = changedPeople(people);
    if (all === 0) return `There are no people ${where}.`;
    const of = `Of ${count(all)} people ${where}`;
    const to = anyOf(typeName);
    if (sooner + later === 0) return `${of}, none get to ${to} in another class of minutes.`;
    const share = (one: number) => `${count(one)} (${percent(one / all)})`;
    return `${of}, ${share(sooner)} get to ${to} sooner, ${share(later)} later.`;
  };
}

/** Words for a block: `10–15 min, was 15–20 min`. */
export function changeWords(was: number, is: number): string {
  if (was === LACKING) return `${classWords(is)}, not in the earlier release`;
  if (is === LACKING) return `not in the later release, was ${classWords(was)}`;
  return was === is ? classWords(is) : `${classWords(is)}, was ${classWords(was)}`;
}

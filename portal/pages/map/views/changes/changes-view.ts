import { PLANS } from '../../../../../proxy/plans.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { keylessClient } from '../../../api/clients.ts';
import { count, percent } from '../../../formats.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { classWords } from '../../blocks/block-bands.ts';
import { changesListing } from '../../blocks/block-lists.ts';
import type { Tally } from '../../blocks/coloured-blocks.ts';
import { type ChangedBands, changeMeasure } from '../../blocks/measures.ts';
import { mapTitle } from '../../catalogue/mode-words.ts';
import { anyOf } from '../../catalogue/type-nouns.ts';
import { LACKING, UNROUTED_CLASS } from '../../measures/block-classes.ts';
import { CHANGE_CLASSES, changedPeople, NEITHER, NOT_KNOWN } from '../../measures/changes.ts';
import { paidCall } from '../../paid/paid-request.ts';
import { type FreeView, freeView } from '../free-view.tsx';
import { asShown, type MapView, summedArea, type Viewed } from '../map-view.ts';

export const changes: FreeView<ChangedBands, Tally> = {
  measure({ before, after }, { service, type }) {
    if (before === null || after === null) return null;
    return changeMeasure(keylessClient, { service, types: type.leaves }, [before, after]);
  },
  picture({ catalogue, state: { before, after }, choice: { mode, service, type } }) {
    return {
      name: `changes ${before} ${after} ${service} ${type.id}`,
      // Stripes are on the blocks that are not known in one of the releases.
      modes: [],
      pois: catalogue.poisOf(type.leaves, [mode]),
      palette: 'difference',
    };
  },
  classes: ({ classes }) => classes.map((one) => (one === NOT_KNOWN ? UNROUTED_CLASS : one)),
  words: ({ before, after }, i) => changeWords(before[i], after[i]),
  rows(_, { scheme }, isShort = false) {
    const { difference, beyond, stripe } = MAP_COLOURS[scheme];
    return [...CHANGE_CLASSES, NEITHER, NOT_KNOWN].map((one) => ({
      swatch: {
        colour: difference[one - 1] ?? beyond,
        ...(one === NOT_KNOWN && { stripe }),
        label: LABELS[one][isShort ? 1 : 0],
      },
      peopleOf: ({ people }) => people[one],
    }));
  },
  say: (_, { choice }) => sayChanges(choice.type.name),
  list(of, { state: { before, after }, choice: { mode, times, type } }) {
    if (before === null || after === null) return null;
    return changesListing(of, { mode, dest_type_id: type.id, ...times, before, after });
  },
};

export const changesView: MapView = {
  name: 'Changes',
  sides: 0,
  title({ state: { before, after }, choice: { mode, type } }) {
    const title = mapTitle(mode, type.name);
    return before === null ? title : `${title}: changes from ${before} to ${after}`;
  },
  modes: ({ mode }) => [mode],
  Panel: onRequest('the view', async () => (await import('./changes-panel.tsx')).ChangesPanel),
  requests(viewed) {
    const exact = exactChanges(viewed);
    return asShown(`Exact changes in ${exact?.name}`, exact?.request);
  },
  ...freeView(changes),
};

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

/** Says how many people have the nearest POI in another class than before. */
function sayChanges(typeName: string) {
  return ({ people, allPeople }: Tally, where: string): string => {
    const { sooner, later } = changedPeople(people);
    const of = `Of ${count(allPeople)} people ${where}`;
    const to = anyOf(typeName);
    if (sooner + later === 0) return `${of}, none get to ${to} in another class of minutes.`;
    const share = (one: number) => `${count(one)} (${percent(one / allPeople)})`;
    return `${of}, ${share(sooner)} get to ${to} sooner, ${share(later)} later.`;
  };
}

/** Words for a block: `10–15 min, was 15–20 min`. */
function changeWords(was: number, is: number): string {
  if (was === LACKING) return `${classWords(is)}, not in the earlier release`;
  if (is === LACKING) return `not in the later release, was ${classWords(was)}`;
  return was === is ? classWords(is) : `${classWords(is)}, was ${classWords(was)}`;
}

/** The request for the exact changes of an area; null unless two releases are chosen. */
export function exactChanges(viewed: Viewed) {
  const { before, after } = viewed.state;
  const { mode, times, type } = viewed.choice;
  const summed = summedArea(viewed);
  if (summed === null || before === null || after === null) return null;
  const { name, body: area } = summed;
  const body = { from: before, to: after, area, mode: [mode], ...times, type: [type.id] };
  const { changes, row } = PLANS.charges;
  return { name, request: paidCall('measureChanges', body, changes + type.leaves.length * row) };
}

import { PLANS } from '../../../../../proxy/plans.ts';
import { UNROUTED } from '../../../../../shards/bands/time-bands.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { DataOf, Mode } from '../../../../client/src/index.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { count, percent } from '../../../formats.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { classWords } from '../../blocks/block-bands.ts';
import { basketListing } from '../../blocks/block-lists.ts';
import { basketMeasure, type TestedBasket } from '../../blocks/measures.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { byMode } from '../../catalogue/mode-words.ts';
import { timingOf } from '../../catalogue/windows.ts';
import type { Scheme } from '../../drawing/paint.ts';
import {
  type BasketTally,
  type Criterion,
  criteriaMet,
  furthestClasses,
  metClass,
  metClasses,
} from '../../measures/basket.ts';
import { paidCall } from '../../paid/paid-request.ts';
import { bandSwatch } from '../../panels/legend.tsx';
import type { PeopleRow } from '../../panels/people-legend.tsx';
import type { Choice } from '../../state/choice.ts';
import { bandRows, type FreeView, freeView } from '../free-view.tsx';
import { asShown, type MapView, summedArea, type Viewed } from '../map-view.ts';

export const basket: FreeView<TestedBasket, BasketTally> = {
  measure: (_, choice) => basketMeasure(choice.basket, choice.timing),
  picture({ catalogue, state: { basketBy }, choice }) {
    const types = choice.basket.map(({ type }) => type);
    return {
      name: `basket ${basketBy} ${JSON.stringify(choice.basket)}`,
      modes: [],
      pois: catalogue.poisOf(types, basketView.modes(choice)),
    };
  },
  classes: (of, { state }) =>
    state.basketBy === 'met' ? metClasses(of.basket) : furthestClasses(of.basket),
  words(of, i, { state }) {
    if (state.basketBy === 'furthest') return `furthest ${classWords(of.basket.furthest[i])}`;
    const met = criteriaMet(of.basket, i);
    return met === null ? 'not known' : `${met} of ${of.criteria.length} met`;
  },
  rows: (of, { state, choice, scheme }) =>
    state.basketBy === 'met'
      ? metRows((of?.criteria ?? choice.basket).length, scheme)
      : bandRows(scheme, ({ furthest }) => furthest),
  say: ({ of }, { catalogue }) => sayBasket(of.criteria, catalogue),
  list: ({ basket, criteria }, { choice }) => basketListing(basket, criteria, timesOf(choice)),
};

export const basketView: MapView = {
  name: 'Basket',
  sides: 0,
  title: ({ state: { basketBy } }) =>
    basketBy === 'met' ? 'Criteria of a basket met' : 'Minutes to the furthest of a basket',
  modes: ({ basket }) => basket.map((criterion) => criterion.mode),
  Panel: onRequest('the view', async () => (await import('./basket-panel.tsx')).BasketPanel),
  requests: (viewed) => asShown('Exact shares of the area', exactBasket(viewed)?.request, 'basket'),
  ...freeView(basket),
};

/**
 * Rows from all criteria met to none, then those not known. Numbers with the same colour share a
 * row.
 */
function metRows(criteria: number, scheme: Scheme): readonly PeopleRow<BasketTally>[] {
  const { classes, beyond } = MAP_COLOURS[scheme];
  const rows: PeopleRow<BasketTally>[] = [];
  for (let most = criteria; most >= 0; ) {
    const one = metClass(criteria, most);
    let least = most;
    while (least > 0 && metClass(criteria, least - 1) === one) least--;
    const [from, end] = [least, most + 1];
    rows.push({
      swatch: { colour: classes[one - 1] ?? beyond, label: metLabel(least, most, criteria) },
      peopleOf: ({ met }) => met.slice(from, end).reduce((sum, people) => sum + people, 0),
    });
    most = least - 1;
  }
  return [...rows, { swatch: bandSwatch(UNROUTED, scheme), peopleOf: ({ notKnown }) => notKnown }];
}

function metLabel(least: number, most: number, criteria: number): string {
  if (most === 0) return 'none';
  if (least === criteria) return `all ${criteria}`;
  return least === most ? `${most} of ${criteria}` : `${least} to ${most} of ${criteria}`;
}

/** Name of a criterion: `Grocery stores within 15 min on foot`. */
export function criterionName(
  { typeNames }: Catalogue,
  { mode, type, minutes }: Criterion,
): string {
  return `${typeNames.get(type) ?? `type ${type}`} within ${minutes} min ${byMode(mode)}`;
}

/** Says which share of people has everything in a basket, and what the others lack most often. */
function sayBasket(criteria: readonly Criterion[], catalogue: Catalogue) {
  return ({ allPeople, met, missing }: BasketTally, where: string): string => {
    const share = percent((met.at(-1) ?? 0) / allPeople);
    const most = Math.max(...missing);
    const said = `${share} of ${count(allPeople)} people ${where} ${haveAll(criteria)}.`;
    if (most === 0 || criteria.length === 1) return said;
    const name = criterionName(catalogue, criteria[missing.indexOf(most)]);
    return `${said} Missing most often: ${name} (${count(most)} people).`;
  };
}

/** `have all 3`; of one criterion, `have it`. */
export function haveAll({ length }: readonly Criterion[]): string {
  return length === 1 ? 'have it' : `have all ${length}`;
}

export type Coverage = DataOf<'measureCoverage'>;

/** Members that name the window and percentile of a basket, as `timingOf`. */
function timesOf({ basket, timing }: Choice): Partial<Timing> {
  return timingOf(
    basket.map(({ mode }) => mode),
    timing,
  );
}

/** The request for the exact shares of an area. */
export function exactBasket(viewed: Viewed) {
  const { basket: criteria } = viewed.choice;
  const summed = summedArea(viewed);
  if (summed === null) return null;
  const body = {
    area: summed.body,
    mode: [...new Set(criteria.map(({ mode }) => mode as Mode))],
    type: [...new Set(criteria.map(({ type }) => type))],
    ...timesOf(viewed.choice),
    all_of: criteria.map(({ type, mode, minutes }) => ({
      type,
      mode: mode as Mode,
      max_minutes: minutes,
    })),
  };
  // The rows of each type and mode are charged beside the basket.
  const { row, basket, area_minimum } = PLANS.charges;
  const price = row * body.type.length * body.mode.length + basket;
  const request = paidCall('measureCoverage', body, Math.max(price, area_minimum));
  return { name: summed.name, request };
}

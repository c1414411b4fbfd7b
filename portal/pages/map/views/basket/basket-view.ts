import { PLANS } from '../../../../../proxy/plans.ts';
import { UNROUTED } from '../../../../../shards/bands/time-bands.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { Area, DataOf, Mode, ParamsOf } from '../../../../client/src/index.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { count, percent } from '../../../formats.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { chosenOr } from '../../blocks/area-blocks.ts';
import { classWords } from '../../blocks/block-bands.ts';
import type { NamedCounty } from '../../blocks/coloured-blocks.ts';
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
import { type PaidRequest, paidCall } from '../../paid/paid-request.ts';
import { BAND_ORDER, bandSwatch, groundSwatches } from '../../panels/legend-swatches.ts';
import type { PeopleRow } from '../../panels/people-legend.tsx';
import { summaryOf } from '../../panels/people-sentences.tsx';
import type { Choice } from '../../state/choice.ts';
import type { MapState } from '../../state/map-state.ts';
import { type LoadedBasket, type MapView, mapRequest } from '../map-view.ts';

export const basketView: MapView = {
  name: 'Basket',
  sides: 0,
  title: ({ state: { basketBy } }) =>
    basketBy === 'met' ? 'Criteria of a basket met' : 'Minutes to the furthest of a basket',
  summary: ({ basket, area, catalogue }) => summaryOf(basket, area, sayBasket(basket, catalogue)),
  legend({ state, choice, catalogue, scheme }) {
    const rows = basketRows(state.basketBy, choice.basket.length, null, scheme);
    return [...rows.map(({ swatch }) => swatch), ...groundSwatches(catalogue.baseMap, scheme)];
  },
  modes: ({ basket }) => basket.map((criterion) => criterion.mode),
  shown({ catalogue, state: { basketBy }, choice, basket }) {
    const classesOf = basketBy === 'met' ? metClasses : furthestClasses;
    return {
      of: 'classes',
      name: `basket ${basketBy} ${JSON.stringify(choice.basket)}`,
      modes: [],
      pois: catalogue.poisOf(
        choice.basket.map(({ type }) => type),
        choice.basket.map(({ mode }) => mode),
      ),
      blocks: basket.value && {
        geoids: basket.value.blocks.geoids,
        classes: classesOf(basket.value.of.basket),
      },
    };
  },
  minutesOf({ state: { basketBy }, basket }, geoid) {
    if (basket.value === null) return null;
    const { blocks, of } = basket.value;
    const at = blocks.geoids.indexOf(geoid);
    if (at === -1) return null;
    if (basketBy === 'furthest') return `furthest ${classWords(of.basket.furthest[at])}`;
    const met = criteriaMet(of.basket, at);
    return met === null ? 'not known' : `${met} of ${of.criteria.length} met`;
  },
  Panel: onRequest('the view', async () => (await import('./basket-panel.tsx')).BasketPanel),
  requests({ choice, basket, area }) {
    const summed = chosenOr(area, countiesOf(basket)[0]);
    if (summed === null) return [];
    const body = basketBody(summed.body, choice.basket, timesOf(choice));
    return [mapRequest('Exact shares of the area', 'measureCoverage', body, 'basket')];
  },
};

/** Rows of the legend of a basket. `tally`: null while people are not counted. */
export function basketRows(
  by: MapState['basketBy'],
  criteria: number,
  tally: BasketTally | null,
  scheme: Scheme,
  inArea: BasketTally | null = null,
): readonly PeopleRow[] {
  const rowsOf = (of: BasketTally | null) =>
    by === 'met' ? metRows(criteria, of, scheme) : furthestRows(of, scheme);
  const area = inArea && rowsOf(inArea);
  return rowsOf(tally).map((row, i) => (area ? { ...row, inArea: area[i].people ?? 0 } : row));
}

function furthestRows(tally: BasketTally | null, scheme: Scheme): PeopleRow[] {
  return BAND_ORDER.map((band) => ({
    swatch: bandSwatch(band, scheme),
    people: tally?.furthest[band] ?? null,
  }));
}

/**
 * Rows from all criteria met to none, then those not known. Numbers with the same colour share a
 * row.
 */
function metRows(criteria: number, tally: BasketTally | null, scheme: Scheme): PeopleRow[] {
  const { classes, beyond } = MAP_COLOURS[scheme];
  const rows: PeopleRow[] = [];
  for (let most = criteria; most >= 0; ) {
    const one = metClass(criteria, most);
    let least = most;
    while (least > 0 && metClass(criteria, least - 1) === one) least--;
    rows.push({
      swatch: { colour: classes[one - 1] ?? beyond, label: metLabel(least, most, criteria) },
      people: tally?.met.slice(least, most + 1).reduce((sum, one) => sum + one, 0) ?? null,
    });
    most = least - 1;
  }
  return [...rows, { swatch: bandSwatch(UNROUTED, scheme), people: tally?.notKnown ?? null }];
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
export function sayBasket(basket: LoadedBasket, catalogue: Catalogue) {
  const criteria = basket.value?.of.criteria ?? [];
  return ({ people, met, missing }: BasketTally, where: string): string => {
    if (people === 0) return `There are no people ${where}.`;
    const share = percent((met.at(-1) ?? 0) / people);
    const all = criteria.length === 1 ? 'it' : `all ${criteria.length}`;
    const most = Math.max(...missing);
    const said = `${share} of ${count(people)} people ${where} have ${all}.`;
    if (most === 0 || criteria.length === 1) return said;
    const name = criterionName(catalogue, criteria[missing.indexOf(most)]);
    return `${said} Missing most often: ${name} (${count(most)} people).`;
  };
}

/** The counties in view; none until their blocks are loaded. */
export function countiesOf(basket: LoadedBasket): readonly NamedCounty[] {
  return basket.value?.blocks.counties ?? [];
}

export type Coverage = DataOf<'measureCoverage'>;

/** Members that name the window and percentile of a basket, as `timingOf`. */
export function timesOf({ basket, timing }: Choice): Partial<Timing> {
  return timingOf(
    basket.map(({ mode }) => mode),
    timing,
  );
}

export function basketRequest(
  area: Area,
  criteria: readonly Criterion[],
  times: Partial<Timing>,
): PaidRequest<Coverage> {
  const { row, basket, area_minimum } = PLANS.charges;
  const { type, mode } = basketBody(area, criteria, times);
  const price = Math.max(row * type!.length * mode!.length + basket, area_minimum);
  return paidCall('measureCoverage', basketBody(area, criteria, times), price);
}

/** The body of `basketRequest`; the rows of each type and mode are charged beside the basket. */
function basketBody(
  area: Area,
  criteria: readonly Criterion[],
  times: Partial<Timing>,
): ParamsOf<'measureCoverage'> {
  return {
    area,
    mode: [...new Set(criteria.map(({ mode }) => mode as Mode))],
    type: [...new Set(criteria.map(({ type }) => type))],
    ...times,
    all_of: criteria.map(({ type, mode, minutes }) => ({
      type,
      mode: mode as Mode,
      max_minutes: minutes,
    })),
  };
}

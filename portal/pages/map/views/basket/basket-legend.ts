import { UNROUTED } from '../../../../../shards/bands/time-bands.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { count, percent } from '../../../formats.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { byMode } from '../../catalogue/mode-words.ts';
import type { Scheme } from '../../drawing/paint.ts';
import type { Criterion } from '../../measures/basket.ts';
import { type BasketTally, metClass } from '../../measures/basket.ts';
import { BAND_ORDER, bandSwatch } from '../../panels/legend-swatches.ts';
import type { PeopleRow } from '../../panels/people-legend.tsx';
import type { MapState } from '../../state/map-state.ts';
import type { LoadedBasket } from '../map-view.ts';

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
  const criteria = basket.state === 'here' ? basket.view.of.criteria : [];
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
export function countiesOf(basket: LoadedBasket): readonly string[] {
  return basket.state === 'here' ? basket.view.blocks.counties : [];
}

import { UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { MAP_COLOURS } from '../../../map-classes.ts';
import type { Scheme } from '../drawing/paint.ts';
import { type BasketTally, metClass } from '../measures/basket.ts';
import type { MapState } from '../state/map-state.ts';
import { BAND_ORDER, bandSwatch } from './legend-swatches.ts';
import type { PeopleRow } from './people-legend.tsx';

/** Rows of the legend of a basket. `tally`: null while people are not counted. */
export function basketRows(
  by: MapState['basketBy'],
  criteria: number,
  tally: BasketTally | null,
  scheme: Scheme,
): readonly PeopleRow[] {
  return by === 'met' ? metRows(criteria, tally, scheme) : furthestRows(tally, scheme);
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

import { ordinalsOf } from '../../../shards/arrays/sorted.ts';
import {
  CHANGE_STEPS,
  type Measure,
  stepsOf,
  UNKNOWN,
} from '../../../shards/changes/block-change.ts';
import type { ComparedCounty } from '../../../shards/changes/compared-county.ts';
import { type DissolvePart, dissolve } from '../../../shards/geometry/dissolve.ts';
import type { Rings } from '../../../shards/geometry/rings.ts';
import { MICRO } from '../../../shards/units.ts';
import { STEP } from './change-summary.ts';

/** How many of `CHANGE_STEPS` a large change reaches. */
const LARGE = CHANGE_STEPS.indexOf(STEP) + 1;

/**
 * The classes of blocks on the map of a report. Their colours stay apart for the colour-blind, blue
 * for the better and orange for the worse, and as greys in print.
 */
export const REPORT_CLASSES = [
  { least: LARGE, colour: '#08519c', words: `better by ${STEP} or more` },
  { least: 1, colour: '#9ecae1', words: `better by 1 to ${STEP}` },
  { least: 0, colour: '#eeeeea', words: 'unchanged' },
  { least: 1 - LARGE, colour: '#fdc086', words: `worse by 1 to ${STEP}` },
  { least: -CHANGE_STEPS.length, colour: '#b34700', words: `worse by ${STEP} or more` },
] as const;
/** The class of blocks without data, which the map hatches. */
const NO_DATA = REPORT_CLASSES.length;

/** Sides of the picture at most, in its units. */
const [WIDTH, HEIGHT] = [720, 400];
const DECIMALS = 10;

/** Draws the blocks of counties by how a measure changed, as SVG. */
export async function reportMap(
  counties: readonly ComparedCounty[],
  measure: Measure,
  title: string,
): Promise<string> {
  const parts: DissolvePart[][] = Array.from({ length: NO_DATA + 1 }, () => []);
  for (const county of counties) {
    for await (const { before, after } of county.values([measure])) {
      const classes = Uint8Array.from(before, (was, block) => classOf(measure, was, after[block]));
      for (const part of await partsOf(county, classes)) parts[part.of].push(part);
    }
  }
  const drawn = parts.map((own) => dissolve(own, 0));
  const box = boxOf(drawn);
  if (box === null) return '';
  const cosine = Math.cos((((box.south + box.north) / 2 / MICRO) * Math.PI) / 180);
  const scale = Math.min(
    WIDTH / ((box.east - box.west) * cosine),
    HEIGHT / (box.north - box.south),
  );
  const paths = drawn.map((rings, of) => {
    const d = pathOf(rings, (x, y) => [(x - box.west) * cosine * scale, (box.north - y) * scale]);
    return d === '' ? '' : `<path fill="${fillOf(of)}" fill-rule="evenodd" d="${d}"/>`;
  });
  const size = [(box.east - box.west) * cosine * scale, (box.north - box.south) * scale];
  const [width, height] = size.map(Math.ceil);
  return `<svg role="img" viewBox="-1 -1 ${width + 2} ${height + 2}" stroke="#8a8a86" stroke-width=".3"><title>${title}</title><defs><pattern id="none" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="4" height="4" fill="#fff"/><path d="M0 0V4" stroke="#8a8a86" stroke-width="1"/></pattern></defs>${paths.join('')}</svg>`;
}

function classOf(measure: Measure, before: number, after: number): number {
  if (before === UNKNOWN || after === UNKNOWN) return NO_DATA;
  const steps = stepsOf(measure.kind, before, after);
  return REPORT_CLASSES.findIndex(({ least }) => steps >= least);
}

function fillOf(of: number): string {
  return of === NO_DATA ? 'url(#none)' : REPORT_CLASSES[of].colour;
}

/** The outlines of a county's blocks with land, by class; of the later release, if it has them. */
async function partsOf(
  { after, before, geoids }: ComparedCounty,
  classes: Uint8Array,
): Promise<(DissolvePart & { readonly of: number })[]> {
  const parts: (DissolvePart & { readonly of: number })[] = [];
  for (const side of [after, before]) {
    if (side === null) continue;
    const { release, county, index, ordinals } = side;
    const { outlines } = await release.areas(county);
    const isDrawn = (block: number) =>
      ordinals[block] !== -1 &&
      (side === after || after === null || after.ordinals[block] === -1) &&
      index.landArea(ordinals[block]) !== 0;
    for (let of = 0; of <= NO_DATA; of++) {
      const own = geoids.filter((_, block) => classes[block] === of && isDrawn(block));
      if (own.length > 0) parts.push({ of, outlines, areas: ordinalsOf(outlines.geoids, own) });
    }
  }
  return parts;
}

function boxOf(drawn: readonly Rings[]) {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of drawn) {
    for (let i = 0; i < x.length; i++) {
      if (x[i] < west) west = x[i];
      if (x[i] > east) east = x[i];
      if (y[i] < south) south = y[i];
      if (y[i] > north) north = y[i];
    }
  }
  return west < east ? { west, south, east, north } : null;
}

/** Writes rings as a path, without points that fall on the one before. */
function pathOf(
  { firstPoint, x, y }: Rings,
  project: (x: number, y: number) => readonly [number, number],
): string {
  let d = '';
  for (let ring = 0; ring + 1 < firstPoint.length; ring++) {
    let before = '';
    let points = '';
    let count = 0;
    for (let i = firstPoint[ring]; i < firstPoint[ring + 1]; i++) {
      const at = project(x[i], y[i]).map((one) => Math.round(one * DECIMALS) / DECIMALS);
      const text = at.join(' ');
      if (text === before) continue;
      points += `${count++ === 0 ? 'M' : 'L'}${text}`;
      before = text;
    }
    if (count > 2) d += `${points}Z`;
  }
  return d;
}

import { countedType } from '../../../shards/access/access-columns.ts';
import type { Measure } from '../../../shards/changes/block-change.ts';
import type { ChangeSums } from '../../../shards/changes/change-sums.ts';
import type { ReleasePair } from '../../../shards/changes/compared-county.ts';
import { byMode, isTransit } from '../../../shards/modes.ts';
import { withCommas } from '../../../shards/number-words.ts';
import { isBaseTiming } from '../../../shards/services.ts';
import { countyName } from '../../../shards/states.ts';
import type { DestTypeId } from '../../../shards/units.ts';
import { noiseOf } from '../../../shards/weights/noise.ts';
import type { Comparison } from './compare-releases.ts';

/** The size of a large change, in minutes or percent: one of `CHANGE_STEPS`. */
export const STEP = 5;
/** Most lines of a list. */
const LINES = 20;

/**
 * A measure in words: `minutes on foot to the nearest of libraries`, `jobs within 45 minutes by
 * transit`, `number of libraries within 15 minutes on foot`.
 */
export function measureInWords({ after }: ReleasePair, measure: Measure): string {
  const { departure, percentile } = after.timing;
  const timing =
    isBaseTiming(after.timing) || !isTransit(measure.mode)
      ? ''
      : ` (departure ${departure}, percentile ${percentile})`;
  const by = `${byMode(measure.mode)}${timing}`;
  const labelOf = (type: DestTypeId) => after.taxonomy.labelOf(type).replaceAll('_', ' ');
  if (measure.kind === 'minutes') return `minutes ${by} to the nearest of ${labelOf(measure.type)}`;
  const type = countedType(measure.of);
  const weight = after.weights.find((one) => one.weight === measure.of);
  const what =
    type === null ? (weight?.label ?? measure.of).toLowerCase() : `number of ${labelOf(type)}`;
  return `${what} within ${measure.minutes} minutes ${by}`;
}

/** `STEP` in words. */
export function stepInWords(kind: Measure['kind']): string {
  return kind === 'minutes' ? 'five minutes' : 'five percent';
}

/** A part of a total, with its percent: `7,334 (18.3 %)`; `0` for none. */
export function shareInWords(part: number, total: number): string {
  return part === 0 ? '0' : `${withCommas(part)} (${((100 * part) / total).toFixed(1)} %)`;
}

/**
 * A change of means, as amount and percent: `1,200 → 1,300 on average (+100, +8.3 %)` of counts,
 * which below 100 have tenths; `11.25 → 10.5 minutes on average (-0.75, -6.7 %)` of minutes.
 */
function meansInWords(kind: Measure['kind'], { mean_before, mean_after }: ChangeSums) {
  if (mean_before === null || mean_after === null) return 'not known';
  const small = Math.max(mean_before, mean_after) < 100 ? 10 : 1;
  const [unit, part] = kind === 'minutes' ? [' minutes', 100] : ['', small];
  const rounded = (value: number) => Math.round(part * value) / part;
  const signed = (value: number) => `${value > 0 ? '+' : ''}${withCommas(value)}`;
  const change = mean_after - mean_before;
  const percent =
    mean_before === 0 ? '' : `, ${signed(Math.round((1000 * change) / mean_before) / 10)} %`;
  const means = [mean_before, mean_after].map((mean) => withCommas(rounded(mean)));
  return `${means.join(' → ')}${unit} on average (${signed(rounded(change))}${percent})`;
}

/** Describes who gains and loses, line by line: overall, by group, county and place. */
export function* changeSummary(comparison: Comparison): Generator<string> {
  const { pair, counties, measures, weights, totals, byArea } = comparison;
  const blocks = counties.reduce((sum, { count }) => sum + count, 0);
  yield `${pair.before.version} → ${pair.after.version}: ${withCommas(blocks)} blocks`;
  const lines: Line[] = [];
  const add = (where: string, m: number, sums: ChangeSums, unit: string) => {
    const moved = sums.gained[STEP] + sums.lost[STEP];
    if (moved > 0) lines.push({ moved, text: `${where}${inWords(pair, measures[m], sums, unit)}` });
  };
  for (const m of measures.keys()) add('', m, totals.of(0, m, 0), 'people');
  yield* mostMoved('all', lines);
  for (const [w, weight] of [...weights.entries()].slice(1)) {
    for (const m of measures.keys()) add(`${weight}: `, m, totals.of(0, m, w), 'of them');
  }
  yield* mostMoved('by group', lines);
  for (const kind of ['county', 'place'] as const) {
    const { areas, totals: sums } = byArea[kind];
    for (const [a, geoid] of areas.geoids.entries()) {
      const name = nameOf(comparison, geoid!);
      for (const m of measures.keys()) add(`${name}: `, m, sums.of(a, m, 0), 'people');
    }
    yield* mostMoved(`by ${kind}`, lines);
  }
  const people = pair.after.weights[0];
  const noise = noiseOf(people);
  if (noise) {
    const [typical] = noise.typical_error;
    yield `noise: ${noise.method} ${typical.counts}: ${typical.error} (${typical.source}).`;
  }
}

interface Line {
  readonly moved: number;
  readonly text: string;
}

/** Yields the lines about most people, and empties the list. */
function* mostMoved(title: string, lines: Line[]): Generator<string> {
  const sorted = lines.splice(0).sort((a, b) => b.moved - a.moved);
  yield `${title}:${sorted.length === 0 ? ' nobody gains or loses five minutes or five percent' : ''}`;
  for (const { text } of sorted.slice(0, LINES)) yield `  ${text}`;
  if (sorted.length > LINES) {
    yield `  and ${sorted.length - LINES} more; select by --type, --of, --mode and --area`;
  }
}

function inWords(pair: ReleasePair, measure: Measure, sums: ChangeSums, unit: string): string {
  const { gained, lost, total } = sums;
  const least = stepInWords(measure.kind);
  const share = (part: number) => shareInWords(part, total);
  const means = meansInWords(measure.kind, sums);
  return `${measureInWords(pair, measure)}: ${share(gained[STEP])} ${unit} gain ${least} or more, ${share(lost[STEP])} lose; ${means}`;
}

/** A county or place with its name, if it has one. */
export function nameOf({ pair, placeNames }: NamedAreas, geoid: string): string {
  if (geoid.length === 5) {
    const county = pair.after.county(geoid) ?? pair.before.county(geoid);
    const name = countyName(geoid, county?.name);
    return name === null ? `county ${geoid}` : `${name} (${geoid})`;
  }
  const name = placeNames.get(geoid);
  return name === undefined ? `place ${geoid}` : `${name} (${geoid})`;
}

interface NamedAreas {
  readonly pair: ReleasePair;
  readonly placeNames: ReadonlyMap<string, string>;
}

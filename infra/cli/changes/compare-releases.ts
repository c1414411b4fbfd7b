import { type Command, InvalidArgumentError, Option } from 'commander';
import { changesAnyBlock } from '../../../builder/changes/changed-columns.ts';
import { distinct } from '../../../proxy/fields/compounds.ts';
import { Problem } from '../../../proxy/http/problem.ts';
import type { Area } from '../../../proxy/queries/areas/area.ts';
import type { AreaKind } from '../../../proxy/queries/areas/areas-of-blocks.ts';
import { areaOfBoth } from '../../../proxy/queries/changes/area-of-both.ts';
import {
  type RowAreas,
  requestedChanges,
  rowAreas,
} from '../../../proxy/queries/changes/changes.ts';
import { countedType, POI_MINUTES } from '../../../shards/access/access-columns.ts';
import type { Measure } from '../../../shards/changes/block-change.ts';
import { ChangeTotals } from '../../../shards/changes/change-sums.ts';
import type { ComparedCounty, ReleasePair } from '../../../shards/changes/compared-county.ts';
import { countedByBoth } from '../../../shards/changes/measures.ts';
import { COUNTY_FIPS, PLACE_GEOID } from '../../../shards/geoid.ts';
import { MODE_LABELS, type Mode } from '../../../shards/modes.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';
import { ArgumentError, UsageError } from '../../errors.ts';
import { commaList } from '../comma-list.ts';

/** The measures and blocks that a command compares. */
export interface CompareFlags {
  readonly from?: string;
  readonly to?: string;
  readonly type?: readonly string[];
  readonly of?: readonly string[];
  readonly minutes?: readonly number[];
  readonly mode?: readonly Mode[];
  readonly area?: readonly string[];
  readonly departure?: string;
  readonly percentile?: number;
}

export function addCompareOptions(command: Command): Command {
  return command
    .option('--from <release>', 'the earlier release: its label or manifest')
    .option('--to <release>', 'the release to compare with it')
    .option('--type <types>', 'destination types, by label or id, comma-separated', commaList)
    .option(
      '--of <what>',
      'weights and types counted within reach, such as jobs,type:libraries',
      commaList,
    )
    .option(
      '--minutes <minutes>',
      'within which they are counted: some of 15,30,45,60; up to 30 for types',
      (text) => distinct(commaList(text).map(Number)),
    )
    .addOption(
      new Option('--mode <modes>', `modes, comma-separated: ${MODE_LABELS.join(', ')}`).argParser(
        modes,
      ),
    )
    .option(
      '--area <codes>',
      'counties (5 digits) or census places (7 digits), comma-separated (default: all counties)',
      commaList,
    )
    .option('--departure <window>', 'the window of departures by transit (default: am)')
    .option('--percentile <n>', 'the percentile of times by transit (default: 10)', Number);
}

function modes(text: string): Mode[] {
  const names = commaList(text);
  const unknown = names.find((name) => !(MODE_LABELS as readonly string[]).includes(name));
  if (unknown === undefined) return names as Mode[];
  throw new InvalidArgumentError(`There is no mode "${unknown}"; use ${MODE_LABELS.join(', ')}.`);
}

/** The changes of two releases: sums of people and groups, also by county and place. */
export interface Comparison {
  readonly pair: ReleasePair;
  readonly counties: readonly ComparedCounty[];
  readonly measures: readonly Measure[];
  /** People, then the other weights that both releases have. */
  readonly weights: readonly string[];
  readonly totals: ChangeTotals;
  /** Sums of people by area. */
  readonly byArea: Readonly<Record<'county' | 'place', AreaTotals>>;
  /** Names of census places by GEOID. */
  readonly placeNames: ReadonlyMap<string, string>;
  /** The measures that changed in any block, in their order. */
  readonly changed: readonly Measure[];
}

interface AreaTotals {
  readonly areas: RowAreas;
  readonly totals: ChangeTotals;
}

/** Compares two releases, in one pass over their counties. */
export async function compareReleases(pair: ReleasePair, flags: CompareFlags): Promise<Comparison> {
  const measures = measuresOf(pair, flags);
  const counties = await usageOf(() => areaOfBoth(pair, areaOf(pair, flags)));
  const known = pair.before.weights.map(({ weight }) => weight);
  const weights = pair.after.weights
    .map(({ weight }) => weight)
    .filter((weight) => known.includes(weight) && weight !== PEOPLE.weight);
  weights.unshift(PEOPLE.weight);
  const totals = new ChangeTotals(1, measures, weights.length);
  const byKind = async (kind: AreaKind): Promise<AreaTotals> => {
    const areas = await rowAreas(counties, kind);
    return { areas, totals: new ChangeTotals(areas.geoids.length, measures, 1) };
  };
  const byArea = { county: await byKind('county'), place: await byKind('place') };
  const changed = new Set<number>();
  for (const [c, county] of counties.entries()) {
    const counts = await Promise.all(weights.map((weight) => county.weights(weight)));
    for await (const values of county.values(measures)) {
      for (const [w, own] of counts.entries()) totals.add(values, w, own, null);
      for (const { areas, totals: sums } of Object.values(byArea)) {
        sums.add(values, 0, counts[0], areas.of[c]);
      }
      if (!changed.has(values.measure) && changesAnyBlock(values)) changed.add(values.measure);
    }
  }
  return {
    pair,
    counties,
    measures,
    weights,
    totals,
    byArea,
    placeNames: await namesOfPlaces(pair),
    changed: measures.filter((_, m) => changed.has(m)),
  };
}

async function namesOfPlaces({ before, after }: ReleasePair): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const release of [before, after]) {
    for (const state of Object.values(release.manifest.states)) {
      const { places } = await release.places(state);
      for (const { geoid, name } of places) names.set(geoid, name);
    }
  }
  return names;
}

/** Times to all types and all counts that there are by then, unless only some are wanted. */
function measuresOf(pair: ReleasePair, { type, of, minutes, mode }: CompareFlags): Measure[] {
  const types = type?.map((name) => (/^\d+$/.test(name) ? Number(name) : name));
  const request = { mode, small: true };
  const hasPois = minutes?.every((one) => POI_MINUTES.includes(one)) ?? true;
  const all = countedByBoth(pair).filter((one) => hasPois || countedType(one) === null);
  const counted = of ?? (type === undefined ? all : []);
  if (minutes !== undefined && counted.length === 0) {
    throw new ArgumentError('--minutes: applies only to what is counted; add --of');
  }
  const times = type !== undefined || of === undefined;
  return [
    ...(times ? usage(() => requestedChanges(pair, { ...request, type: types }).measures) : []),
    ...(counted.length > 0
      ? usage(() => requestedChanges(pair, { ...request, of: counted, minutes }).measures)
      : []),
  ];
}

function areaOf({ before, after }: ReleasePair, { area }: CompareFlags): Area {
  if (area === undefined) {
    const all = [...before.counties, ...after.counties].map(({ fips }) => fips);
    return { kind: 'counties', fips: [...new Set(all)].sort() };
  }
  if (area.every((code) => COUNTY_FIPS.test(code))) return { kind: 'counties', fips: area };
  if (area.every((code) => PLACE_GEOID.test(code))) return { kind: 'places', geoids: area };
  throw new ArgumentError(
    '--area: takes counties, codes of 5 digits, or census places, GEOIDs of 7 digits, not both',
  );
}

function usage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asUsage(error);
  }
}

async function usageOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asUsage(error);
  }
}

/** Names options in place of the members of a body. */
function asUsage(error: unknown): unknown {
  return error instanceof Problem ? new UsageError(error.message.replace(/^body\./, '--')) : error;
}

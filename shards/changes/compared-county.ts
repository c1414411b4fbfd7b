import { minutesCounted } from '../access/access-columns.ts';
import { concat } from '../arrays/concat.ts';
import type { BlockIndex } from '../blocks/block-index.ts';
import type { GeoidNumber } from '../geoid.ts';
import type { EncodedRow } from '../matrix/row-codec.ts';
import { linkModeOf } from '../modes.ts';
import { nthNearestId } from '../nearest/nth-nearest.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { Release } from '../release/release.ts';
import type { CountyFips, DestTypeId, SquareMetres } from '../units.ts';
import { type Measure, UNKNOWN } from './block-change.ts';

/** Two releases of a store, of which the second is compared with the first. */
export interface ReleasePair {
  readonly before: Release;
  readonly after: Release;
}

/** A county in one of the releases, and where the compared blocks are in its index. */
interface ComparedSide {
  readonly release: Release;
  readonly county: CountyManifest;
  readonly index: BlockIndex;
  /** The ordinal of each compared block; -1 for one that the release lacks. */
  readonly ordinals: Int32Array;
}

/** The values of a measure by compared block, in each release; `UNKNOWN` where not known. */
export interface ComparedValues {
  /** Position of the measure in the list. */
  readonly measure: number;
  /** Overwritten by the next measure. */
  readonly before: Float64Array;
  readonly after: Float64Array;
}

/** Blocks of a county in two releases, at least one of which has the county. */
export class ComparedCounty {
  readonly fips: CountyFips;
  /** Ascending; each is in one of the releases or in both. */
  readonly geoids: Float64Array;
  /** Null for a release without the county. */
  readonly before: ComparedSide | null;
  readonly after: ComparedSide | null;

  private constructor(
    fips: CountyFips,
    geoids: Float64Array,
    before: ComparedSide | null,
    after: ComparedSide | null,
  ) {
    this.fips = fips;
    this.geoids = geoids;
    this.before = before;
    this.after = after;
  }

  /** Opens a county; by default with all blocks that either release has. One read per release. */
  static async open(
    { before, after }: ReleasePair,
    fips: CountyFips,
    geoids?: Float64Array,
  ): Promise<ComparedCounty> {
    const opened = await Promise.all([before, after].map((release) => openIn(release, fips)));
    const own = geoids ?? union(opened.map((one) => one?.index.geoids ?? new Float64Array()));
    const [was, is] = opened.map(
      (one) => one && { ...one, ordinals: positions(one.index.geoids, own) },
    );
    return new ComparedCounty(fips, own, was, is);
  }

  get count(): number {
    return this.geoids.length;
  }

  /** A side that has a block: the later one if both do. */
  sideOf(block: number): ComparedSide {
    const { before, after } = this;
    return after !== null && after.ordinals[block] !== -1 ? after : before!;
  }

  get landArea(): SquareMetres {
    let sum = 0;
    for (let i = 0; i < this.count; i++) {
      const { index, ordinals } = this.sideOf(i);
      sum += index.landArea(ordinals[i]) ?? 0;
    }
    return sum;
  }

  /** How much of a weight each block has: by the later release, if that has the block. */
  async weights(weight: string): Promise<Float64Array> {
    const counts = new Float64Array(this.count);
    for (const side of [this.before, this.after]) {
      if (side === null) continue;
      const own = await side.release.weightCounts(side.county, weight);
      for (let i = 0; i < counts.length; i++) {
        if (side.ordinals[i] !== -1) counts[i] = own[side.ordinals[i]];
      }
    }
    return counts;
  }

  /** Yields the values of measures that both releases have, in order. */
  async *values(measures: readonly Measure[]): AsyncGenerator<ComparedValues> {
    const [before, after] = [new Float64Array(this.count), new Float64Array(this.count)];
    const fillBefore = await openValues(this.before, measures);
    const isSame = this.#isSame(measures);
    const fillAfter = isSame ? null : await openValues(this.after, measures);
    for (const [measure, one] of measures.entries()) {
      fillBefore(one, before);
      if (fillAfter === null) after.set(before);
      else fillAfter(one, after);
      yield { measure, before, after };
    }
  }

  /** Whether the releases have the same objects, so that one of them need not be read. */
  #isSame(measures: readonly Measure[]): boolean {
    const { before, after } = this;
    if (before === null || after === null) return false;
    const kinds = ['index', ...measures.map(({ kind }) => OBJECT_OF[kind])] as const;
    const isSame = (kind: (typeof kinds)[number]) =>
      before.county.objects[kind]?.sha256 === after.county.objects[kind]?.sha256;
    // Where a column is follows from the services, and for counts from what is counted and how.
    const contentsOf = ({ manifest }: Release) =>
      JSON.stringify([manifest.modes, manifest.access, manifest.directions]);
    return kinds.every(isSame) && contentsOf(before.release) === contentsOf(after.release);
  }
}

const OBJECT_OF = { minutes: 'nth-nearest', count: 'access' } as const;

async function openIn(release: Release, fips: CountyFips) {
  const county = release.county(fips);
  return county ? { release, county, index: await release.index(county) } : null;
}

type Fill = (measure: Measure, values: Float64Array) => void;

/** Reads what measures need: one range for the times to all types, and one for each count. */
async function openValues(side: ComparedSide | null, measures: readonly Measure[]): Promise<Fill> {
  if (side === null) return (_, values) => values.fill(UNKNOWN);
  const { release, county, index, ordinals } = side;
  const rows = await rowsOf(release, county, measures);
  const counts = await countsOf(release, county, measures);
  const times = new Uint16Array(index.count);
  return (measure, values) => {
    const position = release.positionOf(measure.mode);
    let own: Uint16Array | Uint32Array = times;
    if (measure.kind === 'minutes') {
      times.fill(0);
      const row = rows.get(measure.type)!.mode(position);
      for (let i = 0; i < row.targets.length; i++) times[row.targets[i]] = row.times[i];
    } else {
      const limits = minutesCounted(measure.of);
      const level = limits.indexOf(measure.minutes);
      own = counts.get(measure.of)![position * limits.length + level];
    }
    const street = linkModeOf(measure.mode);
    for (let i = 0; i < values.length; i++) {
      const block = ordinals[i];
      values[i] = block !== -1 && index.isLinked(block, street) ? own[block] : UNKNOWN;
    }
  };
}

async function rowsOf(
  release: Release,
  county: CountyManifest,
  measures: readonly Measure[],
): Promise<ReadonlyMap<DestTypeId, EncodedRow>> {
  const wanted = measures.flatMap((one) => (one.kind === 'minutes' ? [one.type] : []));
  const types = [...new Set(wanted)].sort((a, b) => a - b);
  if (types.length === 0) return new Map();
  const matrix = await release.nthNearest(county);
  const rows = await matrix.encodedRows(
    types.map((type) => matrix.originOrdinal(nthNearestId(type, 1))),
  );
  return new Map(types.map((type, i) => [type, rows[i]]));
}

async function countsOf(
  release: Release,
  county: CountyManifest,
  measures: readonly Measure[],
): Promise<ReadonlyMap<string, readonly Uint32Array[]>> {
  const wanted = measures.flatMap((one) => (one.kind === 'count' ? [one.of] : []));
  const counted = [...new Set(wanted)];
  const columns = await Promise.all(counted.map((of) => release.accessCounts(county, of, 'from')));
  return new Map(counted.map((of, i) => [of, columns[i]]));
}

/** The GEOIDs that are in any of several ascending lists, ascending. */
export function union(lists: readonly Float64Array[]): Float64Array {
  const all = concat(lists).sort();
  return all.filter((geoid, i) => i === 0 || geoid !== all[i - 1]);
}

/** Positions of ascending GEOIDs in an ascending list; -1 for one that it lacks. */
function positions(list: Float64Array, geoids: Float64Array): Int32Array {
  const found = new Int32Array(geoids.length).fill(-1);
  let at = 0;
  for (let i = 0; i < geoids.length; i++) {
    const geoid: GeoidNumber = geoids[i];
    while (at < list.length && list[at] < geoid) at++;
    if (list[at] === geoid) found[i] = at;
  }
  return found;
}

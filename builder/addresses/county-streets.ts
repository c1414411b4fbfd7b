import type {
  AddressRange,
  Neighbourhood,
  StreetRanges,
} from '../../shards/addresses/address-table.ts';
import { parseStreetName, type StreetName, wordsOf } from '../../shards/addresses/street-name.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import {
  localDistance,
  metresPerDegreeLat,
  metresPerDegreeLon,
} from '../../shards/geometry/wgs84.ts';
import { type Metres, MICRO, toMicro } from '../../shards/units.ts';
import type { CensusBlock } from '../census/blocks.ts';
import type { SourceNeighbourhood } from './osm-neighbourhoods.ts';
import type { SourceRange } from './source-range.ts';

/**
 * Distance from the middle of a street at which its addresses stand: on its own side, and in the
 * block there, however narrow.
 */
const BESIDE: Metres = 5;
/** Neighbourhoods of one name that are nearer to each other are one: its label and its area. */
const APART: Metres = 3_000;

/** Streets of a county while their ranges are collected. */
interface Street extends StreetName {
  label: string;
  readonly ranges: Map<string, AddressRange>;
}

export class CountyStreets {
  readonly #blocks: readonly CensusBlock[];
  readonly #index: AreaIndex;
  readonly #streets = new Map<string, Street>();
  readonly #neighbourhoods = new Map<string, Neighbourhood[]>();

  /** `blocks`: of the county, ascending by GEOID. */
  constructor(blocks: readonly CensusBlock[]) {
    this.#blocks = blocks;
    this.#index = new AreaIndex(ringsOf(blocks.map(({ area }) => area)));
  }

  /**
   * Adds a range if the middle of its line, on its side, is in a block of the county; a
   * neighbourhood if its point is.
   */
  add(source: SourceRange | SourceNeighbourhood): void {
    if ('neighbourhood' in source) this.#addNeighbourhood(source);
    else this.#addRange(source);
  }

  #addNeighbourhood({ neighbourhood: label, line: [[lon, lat]] }: SourceNeighbourhood): void {
    const key = wordsOf(label).join(' ');
    const [block] = this.#index.at(lon * MICRO, lat * MICRO);
    if (key === '' || block === undefined) return;
    const [x, y] = [toMicro(lon), toMicro(lat)];
    const known = this.#neighbourhoods.get(key) ?? [];
    const isKnown = known.some(
      (one) => localDistance(one.x / MICRO, one.y / MICRO, lon, lat) < APART,
    );
    if (isKnown) return;
    const { geoid } = this.#blocks[block];
    this.#neighbourhoods.set(key, [...known, { label, geoid, x, y }]);
  }

  #addRange({ street, line, side, ...range }: SourceRange): void {
    const name = parseStreetName(wordsOf(street));
    if (name.base === '') return;
    const beside = side === 'on' ? line : shifted(line, side === 'left' ? BESIDE : -BESIDE);
    const [lon, lat] = middleOf(beside);
    const [block] = this.#index.at(lon * MICRO, lat * MICRO);
    if (block === undefined) return;
    const key = [name.before, name.base, name.suffix, name.after].join('\0');
    const known = this.#streets.get(key) ?? { ...name, label: street, ranges: new Map() };
    this.#streets.set(key, known);
    // Postal names of lines are shorter and spelled in one way.
    if (line.length > 1) known.label = street;
    const { geoid } = this.#blocks[block];
    const placed = {
      ...range,
      geoid,
      x: beside.map(([x]) => toMicro(x)),
      y: beside.map(([, y]) => toMicro(y)),
    };
    const { from, to, suffix } = range;
    // Many elements may have one address: an entrance, a shop, the building.
    const place = line.length > 1 ? [from, to, ...placed.x, ...placed.y] : [from, suffix, geoid];
    const identity = place.join();
    if (!known.ranges.has(identity)) known.ranges.set(identity, placed);
  }

  /** The neighbourhoods, ascending by name. */
  neighbourhoods(): Neighbourhood[] {
    const names = [...this.#neighbourhoods.keys()].sort();
    return names.flatMap((name) => this.#neighbourhoods.get(name)!);
  }

  /** The streets, each with its ranges in ascending order. */
  finish(): StreetRanges[] {
    return [...this.#streets.values()].map((street) => {
      const lowest = ({ from, to }: AddressRange) => Math.min(from, to);
      const ranges = [...street.ranges.values()].sort(
        (a, b) => lowest(a) - lowest(b) || a.geoid - b.geoid,
      );
      return { ...street, ranges };
    });
  }
}

/** Moves a line to its left; to its right by a negative distance. */
function shifted(line: readonly Position[], metres: Metres): Position[] {
  return line.map(([lon, lat], i) => {
    const [before, after] = [line[Math.max(0, i - 1)], line[Math.min(line.length - 1, i + 1)]];
    const [perLon, perLat] = [metresPerDegreeLon(lat), metresPerDegreeLat(lat)];
    const [east, north] = [(after[0] - before[0]) * perLon, (after[1] - before[1]) * perLat];
    const length = Math.hypot(east, north) || 1;
    return [lon - (metres * north) / length / perLon, lat + (metres * east) / length / perLat];
  });
}

function middleOf(line: readonly Position[]): Position {
  const lengths = line
    .slice(1)
    .map(([lon, lat], i) => Math.hypot(lon - line[i][0], lat - line[i][1]));
  let left = lengths.reduce((sum, length) => sum + length, 0) / 2;
  for (const [i, length] of lengths.entries()) {
    if (left <= length && length > 0) {
      const share = left / length;
      const [[x1, y1], [x2, y2]] = [line[i], line[i + 1]];
      return [x1 + share * (x2 - x1), y1 + share * (y2 - y1)];
    }
    left -= length;
  }
  return line[0];
}

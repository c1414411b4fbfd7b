import type { Position, Ring } from '../../shards/geometry/polygon.ts';
import { writeEnvelope } from '../../shards/store/envelope.ts';
import type { CountyFips } from '../../shards/units.ts';
import { bytesOf, openTable } from '../inputs/number-table.ts';
import type { BlockPoint, CensusBlock } from './blocks.ts';

/**
 * The blocks of a county exactly as read: numbers keep their precision. Stored as two objects,
 * because block targets need only the point, and outlines are a hundred times as large.
 */
interface BlockTable {
  readonly points: Uint8Array;
  /** The remaining facts about the same blocks, in the same order. */
  readonly outlines: Uint8Array;
}

const KINDS = { points: 'BPTS', outlines: 'BOUT' };
const UNKNOWN = -1;

export function encodeBlocks(blocks: readonly CensusBlock[]): BlockTable {
  const polygons = blocks.flatMap(({ area }) => area.polygons);
  const rings = polygons.flat();
  const positions = rings.flat();
  const number = (of: (block: CensusBlock) => number) => bytesOf(Float64Array.from(blocks, of));
  const lengths = (lists: readonly (readonly unknown[])[]) =>
    bytesOf(Uint32Array.from(lists, ({ length }) => length));
  return {
    points: writeEnvelope(KINDS.points, [
      { tag: 'GEOI', bytes: number(({ geoid }) => geoid) },
      { tag: 'LON ', bytes: number(({ lon }) => lon) },
      { tag: 'LAT ', bytes: number(({ lat }) => lat) },
      { tag: 'WATR', bytes: Uint8Array.from(blocks, ({ isWater }) => Number(isWater)) },
    ]),
    outlines: writeEnvelope(KINDS.outlines, [
      { tag: 'POPU', bytes: number(({ population }) => population ?? UNKNOWN) },
      { tag: 'LAND', bytes: number(({ landArea }) => landArea ?? UNKNOWN) },
      { tag: 'PLGS', bytes: lengths(blocks.map(({ area }) => area.polygons)) },
      { tag: 'RNGS', bytes: lengths(polygons) },
      { tag: 'POSN', bytes: lengths(rings) },
      { tag: 'LON ', bytes: bytesOf(Float64Array.from(positions, ([lon]) => lon)) },
      { tag: 'LAT ', bytes: bytesOf(Float64Array.from(positions, ([, lat]) => lat)) },
    ]),
  };
}

/** The points of a county's blocks, decoded from the object of this name. */
export function decodePoints(object: string, bytes: Uint8Array, county: CountyFips): BlockPoint[] {
  const { section, numbers } = openTable(object, bytes, KINDS.points);
  const [lon, lat, isWater] = [numbers('LON '), numbers('LAT '), section('WATR')];
  return Array.from(numbers('GEOI'), (geoid, i) => ({
    geoid,
    county,
    lon: lon[i],
    lat: lat[i],
    isWater: isWater[i] === 1,
  }));
}

/** The blocks with these points, with all other facts decoded from the object of this name. */
export function decodeBlocks(
  object: string,
  bytes: Uint8Array,
  points: readonly BlockPoint[],
): CensusBlock[] {
  const { numbers, uint32s } = openTable(object, bytes, KINDS.outlines);
  const [populations, landAreas] = [numbers('POPU'), numbers('LAND')];
  const [lon, lat] = [numbers('LON '), numbers('LAT ')];
  const positions = Array.from(lon, (x, i): Position => [x, lat[i]]);
  const rings: Ring[] = groups(positions, uint32s('POSN'));
  const areas = groups(groups(rings, uint32s('RNGS')), uint32s('PLGS'));
  const known = (count: number) => (count === UNKNOWN ? null : count);
  return points.map(({ geoid, county, lon, lat, isWater }, i) => ({
    geoid,
    county,
    population: known(populations[i]),
    landArea: known(landAreas[i]),
    isWater,
    lon,
    lat,
    area: { polygons: areas[i] },
  }));
}

/**
 * The GEOIDs and populations of the blocks in the objects of these names; an unknown population is
 * 0.
 */
export function decodePopulations(
  pointsObject: string,
  points: Uint8Array,
  outlinesObject: string,
  outlines: Uint8Array,
): { geoids: Float64Array; populations: Uint32Array } {
  const geoids = openTable(pointsObject, points, KINDS.points).numbers('GEOI');
  const populations = openTable(outlinesObject, outlines, KINDS.outlines).numbers('POPU');
  return { geoids, populations: Uint32Array.from(populations, (count) => Math.max(0, count)) };
}

function groups<T>(members: readonly T[], lengths: Uint32Array): T[][] {
  let end = 0;
  return Array.from(lengths, (length) => {
    end += length;
    return members.slice(end - length, end);
  });
}

import { pointInside, squareMetresOf } from '../../shards/geometry/planar.ts';
import type { Ring } from '../../shards/geometry/polygon.ts';
import { boxContains, boxesMeet, boxOf, localDistance } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Degrees, Metres, SquareMetres } from '../../shards/units.ts';
import { assemblePolygons, isClosed } from '../osm/multipolygon.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { Tags } from '../osm/tags.ts';
import { pointsBesideStreets, type Streets } from './beside-streets.ts';
import { wholeCampuses } from './campuses.ts';
import { classify, describe } from './classify.ts';
import { osmDestId } from './dest-id.ts';
import type { Address, Destination } from './destination.ts';
import { mergeDuplicates } from './duplicates.ts';
import { PARK_LEAVES } from './taxonomy.ts';

/** A node whose tags may name a destination. */
export interface PointSource {
  readonly id: number;
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly tags: Tags;
}

export interface AreaSource {
  readonly type: 'way' | 'relation';
  readonly id: number;
  readonly tags: Tags;
  readonly members: readonly { readonly way: number; readonly role: string }[];
}

interface OsmSources {
  readonly points: readonly PointSource[];
  readonly areas: readonly AreaSource[];
  /** Node ids of each way that draws an area; null where the file lacks the way. */
  readonly memberWays: ReadonlyMap<number, Float64Array | null>;
  readonly table: NodeTable;
  /** Per node of the table: 1 where a walkable way passes. */
  readonly walkableNodes: Uint8Array;
  readonly streets: Streets;
  readonly area: BoundingBox;
}

const PARKS = new Set(PARK_LEAVES);

/** A POI drawn as an area of at least this size has sides; a park has them at any size. */
const SIDES_FROM: SquareMetres = 2_500;
/** Spacing of entry points along sides. */
const SIDE_STEP: Metres = 50;

interface FromArea {
  readonly destination: Destination;
  readonly sides: Ring;
}

/** Builds destinations from tagged elements: each real POI once, ascending by `destId`. */
export function destinationsFromOsm(sources: OsmSources): Destination[] {
  const found: Destination[] = [];
  for (const { id, lon, lat, tags } of sources.points) {
    const types = classify(tags, null);
    if (types.length === 0) continue;
    const at = { lon, lat };
    found.push({
      destId: osmDestId('node', id),
      source: `node ${id}`,
      ...facts(tags),
      types,
      ...at,
      entrances: [at],
    });
  }
  const areas = sources.areas
    .map((area) => fromArea(sources, area))
    .filter((area) => area !== null);
  const beside = pointsBesideStreets(
    areas.map(({ sides }) => sides),
    sources.streets,
  );
  areas.forEach(({ destination }, i) => {
    const { lon, lat, entrances } = destination;
    const all = [...entrances, ...beside[i].map(([lon, lat]) => ({ lon, lat }))];
    // A large park may be entered from within the area even if its middle is far outside.
    if (![{ lon, lat }, ...all].some((at) => boxContains(sources.area, at.lon, at.lat))) return;
    found.push({ ...destination, entrances: all.length > 0 ? all : [{ lon, lat }] });
  });
  return wholeCampuses(mergeDuplicates(found).sort((a, b) => a.destId - b.destId));
}

function fromArea(sources: OsmSources, { type, id, tags, members }: AreaSource): FromArea | null {
  const ways = members.map(({ way, role }) => ({
    role,
    nodes: sources.table.present(sources.memberWays.get(way) ?? []),
  }));
  const lines = ways.map(({ role, nodes }) => ({
    role,
    positions: nodes.map((node) => [sources.table.lon[node], sources.table.lat[node]] as const),
  }));
  const first = lines.find((line) => line.positions.length > 0);
  if (!first) return null;
  const polygons = assemblePolygons(lines);
  const isArea = polygons.length > 0;
  const [lon, lat] = isArea ? pointInside(polygons) : middleOf(first.positions);
  const types = classify(tags, isArea ? squareMetresOf(polygons) : null);
  if (types.length === 0) return null;
  if (!boxesMeet(boxOf(lines.flatMap(({ positions }) => positions)), sources.area)) return null;
  const isPark = types.some((type) => PARKS.has(type));
  const hasSides = isPark || (isArea && squareMetresOf(polygons) >= SIDES_FROM);
  const openings = hasSides
    ? openingsOf(
        sources,
        ways.flatMap(({ nodes }) => nodes),
      )
    : [];
  const isWalled = WALLS.some((key) => tags.has(key)) && openings.length > 0;
  return {
    destination: {
      destId: osmDestId(type, id),
      source: `${type} ${id}`,
      ...facts(tags),
      types,
      lon,
      lat,
      entrances: openings,
      ...(hasSides && isArea && { outline: polygons }),
    },
    sides:
      hasSides && !isWalled
        ? lines.flatMap(({ positions }) => evenlySpaced(positions, SIDE_STEP))
        : [],
  };
}

/** Keys of an outline that is a wall, which is entered through its openings if any are mapped. */
const WALLS = ['barrier', 'building'];

/** The mapped openings of a boundary: its gates, and the nodes where a walkable way meets it. */
function openingsOf({ table, walkableNodes }: OsmSources, boundary: readonly number[]) {
  return [...new Set(boundary)]
    .filter((node) => table.gate[node] === 1 || walkableNodes[node] === 1)
    .map((node) => ({ lon: table.lon[node], lat: table.lat[node] }));
}

/** Returns the middle node of a line that encloses no area. */
function middleOf(positions: Ring): readonly [lon: Degrees, lat: Degrees] {
  return positions[Math.floor((positions.length - (isClosed(positions) ? 1 : 0)) / 2)];
}

function facts(tags: Tags): { name: string; address: Address; brand: string | null } {
  const brand = tags.get('brand') ?? null;
  const name = tags.get('name') ?? brand ?? tags.get('operator') ?? describe(tags);
  return { name, brand, address: addressOf(tags) };
}

function addressOf(tags: Tags): Address {
  const number = tags.get('addr:housenumber');
  const street = tags.get('addr:street') ?? tags.get('addr:place');
  const line = [number, street].filter((part) => part !== undefined).join(' ');
  const unit = tags.get('addr:unit');
  const state = tags.get('addr:state')?.trim().toUpperCase();
  return {
    street: line === '' ? null : unit ? `${line}, Unit ${unit}` : line,
    city: tags.get('addr:city') ?? null,
    state: state && /^[A-Z]{2}$/.test(state) ? state : null,
    zip: tags.get('addr:postcode') ?? null,
  };
}

/** Evenly spaced points along a line from its start, at most `step` apart. */
function evenlySpaced(line: Ring, step: Metres): Ring {
  const lengths = line.slice(1).map((to, i) => localDistance(line[i][0], line[i][1], to[0], to[1]));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const count = Math.max(1, Math.ceil(total / step));
  const points: (readonly [number, number])[] = [];
  let before = 0;
  lengths.forEach((length, i) => {
    const [[fromLon, fromLat], [toLon, toLat]] = [line[i], line[i + 1]];
    for (let at = (points.length * total) / count; at < before + length; ) {
      const part = (at - before) / length;
      points.push([fromLon + part * (toLon - fromLon), fromLat + part * (toLat - fromLat)]);
      at = (points.length * total) / count;
    }
    before += length;
  });
  return points;
}

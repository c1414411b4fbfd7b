import { areaOf, pointInside } from '../../shards/geometry/planar.ts';
import type { Ring } from '../../shards/geometry/polygon.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Degrees } from '../../shards/units.ts';
import { assemblePolygons, isClosed } from '../osm/multipolygon.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { Tags } from '../osm/tags.ts';
import { pointsBesideStreets, type Streets } from './beside-streets.ts';
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

/** A way or a multipolygon relation whose tags may name a destination, by the ways that draw it. */
export interface AreaSource {
  readonly type: 'way' | 'relation';
  readonly id: number;
  readonly tags: Tags;
  readonly lines: readonly { readonly way: number; readonly role: string }[];
}

export interface OsmSources {
  readonly points: readonly PointSource[];
  readonly areas: readonly AreaSource[];
  /** Node ids of each way that draws an area; null where the file lacks the way. */
  readonly lines: ReadonlyMap<number, Float64Array | null>;
  readonly table: NodeTable;
  /** By place in the table: 1 where a way for walking passes. */
  readonly walkableNodes: Uint8Array;
  readonly streets: Streets;
  readonly area: BoundingBox;
}

const PARKS = new Set(PARK_LEAVES);

/** A destination of an area, and of a park that shows no entrance the boundary: else no points. */
interface FromArea {
  readonly destination: Destination;
  readonly closedBoundary: Ring;
}

/** Makes destinations of tagged elements: each real place once, ascending by `destId`. */
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
    areas.map(({ closedBoundary }) => closedBoundary),
    sources.streets,
  );
  areas.forEach(({ destination }, i) => {
    const entrances = beside[i].map(([lon, lat]) => ({ lon, lat }));
    found.push(entrances.length > 0 ? { ...destination, entrances } : destination);
  });
  return mergeDuplicates(found).sort((a, b) => a.destId - b.destId);
}

function fromArea(sources: OsmSources, { type, id, tags, lines }: AreaSource): FromArea | null {
  const places = lines.map(({ way, role }) => ({
    role,
    places: Array.from(sources.lines.get(way) ?? [], (node) => sources.table.find(node)).filter(
      (place) => !sources.table.isMissing(place),
    ),
  }));
  const members = places.map(({ role, places }) => ({
    role,
    positions: places.map((p) => [sources.table.lon[p], sources.table.lat[p]] as const),
  }));
  const first = members.find((member) => member.positions.length > 0);
  if (!first) return null;
  const polygons = assemblePolygons(members);
  const isArea = polygons.length > 0;
  const [lon, lat] = isArea ? pointInside(polygons) : middleOf(first.positions);
  const types = classify(tags, isArea ? areaOf(polygons) : null);
  if (types.length === 0) return null;
  const boundary = places.flatMap((member) => member.places);
  const isPark = types.some((t) => PARKS.has(t));
  const gates = isPark ? entrances(sources, boundary) : [];
  // A large park may be entered from within the area while its middle is far outside.
  if (![{ lon, lat }, ...gates].some((at) => boxContains(sources.area, at.lon, at.lat)))
    return null;
  const destination = {
    destId: osmDestId(type, id),
    source: `${type} ${id}`,
    ...facts(tags),
    types,
    lon,
    lat,
    entrances: gates.length > 0 ? gates : [{ lon, lat }],
  };
  const closedBoundary =
    isPark && gates.length === 0
      ? [...new Set(boundary)].map((p) => [sources.table.lon[p], sources.table.lat[p]] as const)
      : [];
  return { destination, closedBoundary };
}

/** Where a boundary shows that one gets in: at its gates, and where a walkable way meets it. */
function entrances({ table, walkableNodes }: OsmSources, boundary: readonly number[]) {
  return [...new Set(boundary)]
    .filter((place) => table.gate[place] === 1 || walkableNodes[place] === 1)
    .map((place) => ({ lon: table.lon[place], lat: table.lat[place] }));
}

/** For a line that closes no ring: its middle node. */
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

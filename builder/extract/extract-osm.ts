import type { Area, Ring } from '../../shards/geometry/polygon.ts';
import { boxAroundBoth, boxContains, boxOf } from '../../shards/geometry/wgs84.ts';
import { GrowingList } from '../../shards/growing-list.ts';
import { joined } from '../../shards/joined.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { mayBeDestination } from '../destinations/classify.ts';
import type { Destination } from '../destinations/destination.ts';
import {
  type AreaSource,
  destinationsFromOsm,
  type PointSource,
} from '../destinations/from-osm.ts';
import { BuildError } from '../errors.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { NodeTable } from '../osm/node-table.ts';
import { readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';
import { copyTags, type Tags } from '../osm/tags.ts';
import type { Progress } from '../progress.ts';
import { Impassable, isImpassable, isOpenWater } from '../streets/impassable.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { nodeTraits, streetTraits } from '../streets/traits.ts';
import { wayTime } from '../streets/way-time.ts';
import { keepLines } from './keep-lines.ts';
import { keepStreets } from './keep-streets.ts';
import { outlineOf } from './outline.ts';
import { addLine, type RawLines, type RawStreets } from './raw-streets.ts';

/** What the builder takes from OpenStreetMap. */
export interface OsmExtract {
  /** Where the files claim to hold everything; null when one of them does not say. */
  readonly coverage: BoundingBox | null;
  /** The same more closely, of each file: the polygon it was cut by; null where none has one. */
  readonly outlines: readonly Area[] | null;
  /** When the newest element was edited, or the files were cut. */
  readonly newestMs: number;
  /** Where all streets were kept that the files have: past it they go on. */
  readonly streetArea: BoundingBox;
  readonly streets: StreetWays;
  readonly nodes: StreetNodes;
  readonly impassable: Impassable;
  readonly destinations: Destination[];
}

/**
 * Reads destinations within `area`, and streets within `streetArea`, which holds it, from OSM PBF
 * files, in three passes over each: relations, which say what ways they need; ways, which say what nodes they need; nodes. Memory
 * follows what is kept, not the size of the files. Files may overlap.
 */
export async function extractOsm(
  paths: readonly string[],
  area: BoundingBox,
  progress: Progress,
  streetArea = area,
): Promise<OsmExtract> {
  const bytes = await Promise.all(paths.map(sizeOf));
  const total = 3 * bytes.reduce((sum, size) => sum + size, 0);
  const stage = progress.start('osm', Math.round(total / 1e6), 'MB');
  let before = 0;
  const outlines = await Promise.all(paths.map(outlineOf));
  /** Where each file claims to hold everything. */
  const boxes: (BoundingBox | null)[] = [];
  let newestMs = 0;
  const pass = async (handlers: PbfHandlers, readsHeader = false) => {
    for (const [i, path] of paths.entries()) {
      const summary = await readPbf(path, handlers, (done) => {
        stage.at(Math.round((before + done) / 1e6));
      });
      before += bytes[i];
      newestMs = Math.max(newestMs, summary.newestMs);
      if (readsHeader) boxes.push(summary.box ?? (outlines[i] && boxAround(outlines[i])));
    }
  };

  const areas = new Map<string, AreaSource>();
  const memberWays = new Map<number, Float64Array | null>();
  /** Ways that are the outlines of water, whatever their own tags say. */
  const shores = new Set<number>();
  await pass(
    {
      relation(id, members, tags) {
        // State parks and reserves are mapped as boundaries, which are drawn the same way.
        const type = tags.get('type');
        if (type !== 'multipolygon' && type !== 'boundary') return;
        if (isOpenWater(tags)) {
          for (const member of members) if (member.type === 'way') shores.add(member.ref);
        }
        if (!mayBeDestination(tags)) return;
        const lines = members
          .filter((member) => member.type === 'way')
          .map(({ ref, role }) => ({ way: ref, role }));
        for (const { way } of lines) memberWays.set(way, null);
        areas.set(`r${id}`, { type: 'relation', id, tags: copyTags(tags), lines });
      },
    },
    true,
  );

  const streets: RawStreets = {
    osmId: new GrowingList(Float64Array),
    traits: new GrowingList(Float64Array),
    times: new Map(),
    endRef: new GrowingList(Float64Array),
    refs: new GrowingList(Float64Array),
  };
  const impassable: RawLines = {
    endRef: new GrowingList(Float64Array),
    refs: new GrowingList(Float64Array),
  };
  const seenStreets = paths.length > 1 ? new Set<number>() : null;
  const seenImpassable = paths.length > 1 ? new Set<number>() : null;
  await pass({
    way(id, refs, tags) {
      if ((shores.has(id) || isImpassable(tags)) && refs.length > 1 && !seenImpassable?.has(id)) {
        seenImpassable?.add(id);
        addLine(impassable, refs);
      }
      const traits = streetTraits(tags);
      if (traits !== 0 && refs.length > 1 && !seenStreets?.has(id)) {
        seenStreets?.add(id);
        const time = wayTime(tags);
        if (time) streets.times.set(streets.osmId.length, time);
        streets.osmId.push(id);
        streets.traits.push(traits);
        addLine(streets, refs);
      }
      if (memberWays.has(id)) memberWays.set(id, Float64Array.from(refs));
      if (refs.length > 0 && mayBeDestination(tags)) {
        memberWays.set(id, Float64Array.from(refs));
        const lines = [{ way: id, role: 'outer' }];
        areas.set(`w${id}`, { type: 'way', id, tags: copyTags(tags), lines });
      }
    },
  });

  const table = new NodeTable(allReferences([streets, impassable], memberWays));
  const points = new Map<number, PointSource>();
  await pass({
    node(id, lon, lat, tags) {
      const ordinal = table.find(id);
      if (ordinal !== -1) {
        table.lon[ordinal] = lon;
        table.lat[ordinal] = lat;
        if (tags.size > 0) {
          table.traits[ordinal] = nodeTraits(tags);
          table.gate[ordinal] = isGate(tags) ? 1 : 0;
        }
      }
      if (tags.size > 0 && boxContains(area, lon, lat) && mayBeDestination(tags)) {
        points.set(id, { id, lon, lat, tags: copyTags(tags) });
      }
    },
  });

  const kept = keepStreets(streets, table, streetArea);
  if (kept.ways.count === 0) {
    stage.finish('no streets');
    throw new BuildError(
      `${paths.join(', ')}: no streets in the area of the blocks; does the extract cover the county?`,
    );
  }
  const destinations = destinationsFromOsm({
    points: [...points.values()],
    areas: [...areas.values()],
    lines: memberWays,
    table,
    walkableNodes: kept.walkable,
    streets: kept,
    area,
  });
  stage.finish(
    `${kept.ways.count} street ways, ${kept.nodes.count} nodes (${kept.missingNodes} missing at the edge), ${destinations.length} destinations`,
  );
  return {
    coverage: boxes.reduce(union),
    outlines: outlines.some((outline) => outline !== null)
      ? outlines.map((outline, i) => outline ?? areaOfBox(boxes[i] ?? EVERYWHERE))
      : null,
    newestMs,
    streetArea,
    streets: kept.ways,
    nodes: kept.nodes,
    impassable: new Impassable(keepLines(impassable, table, streetArea)),
    destinations,
  };
}

const GATES = new Set(['gate', 'entrance', 'kissing_gate', 'swing_gate', 'lift_gate', 'stile']);

/** Whether people get in at a node, and not only those who have a key. */
function isGate(tags: Tags): boolean {
  const access = tags.get('foot') ?? tags.get('access');
  if (access === 'private' || access === 'no') return false;
  return tags.has('entrance') || GATES.has(tags.get('barrier') ?? '');
}

function boxAround({ polygons }: Area): BoundingBox {
  return boxOf(polygons.flat(2));
}

function areaOfBox({ minLon, minLat, maxLon, maxLat }: BoundingBox): Area {
  const ring: Ring = [
    [minLon, minLat],
    [maxLon, minLat],
    [maxLon, maxLat],
    [minLon, maxLat],
    [minLon, minLat],
  ];
  return { polygons: [[ring]] };
}

const EVERYWHERE: BoundingBox = { minLon: -180, minLat: -90, maxLon: 180, maxLat: 90 };

function union(a: BoundingBox | null, b: BoundingBox | null): BoundingBox | null {
  return a && b && boxAroundBoth(a, b);
}

function allReferences(
  kinds: readonly RawLines[],
  memberWays: ReadonlyMap<number, Float64Array | null>,
): Float64Array {
  const lines = [...memberWays.values()].filter((refs) => refs !== null);
  for (const { refs } of kinds) lines.push(refs.view());
  return joined(lines);
}

import { stat } from 'node:fs/promises';
import { boxAroundBoth, boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { mayBeDestination } from '../destinations/classify.ts';
import type { Destination } from '../destinations/destination.ts';
import {
  type AreaSource,
  destinationsFromOsm,
  type PointSource,
} from '../destinations/from-osm.ts';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { NodeTable } from '../osm/node-table.ts';
import { readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';
import { copyTags, type Tags } from '../osm/tags.ts';
import type { Progress } from '../progress.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { nodeTraits, streetTraits } from '../streets/traits.ts';
import { GrowableFloat64 } from './growable.ts';
import { keepStreets } from './keep-streets.ts';
import type { RawStreets } from './raw-streets.ts';

/** What the builder takes from OpenStreetMap. */
export interface OsmExtract {
  /** Where the files claim to hold everything; null when one of them does not say. */
  readonly coverage: BoundingBox | null;
  /** When the newest element was edited, or the files were cut. */
  readonly newestMs: number;
  readonly streets: StreetWays;
  readonly nodes: StreetNodes;
  readonly destinations: Destination[];
}

/**
 * Reads streets and destinations within `area` from OSM PBF files, in three passes over each:
 * relations, which say what ways they need; ways, which say what nodes they need; nodes. Memory
 * follows what is kept, not the size of the files. Files may overlap.
 */
export async function extractOsm(
  paths: readonly string[],
  area: BoundingBox,
  progress: Progress,
): Promise<OsmExtract> {
  const bytes = await Promise.all(paths.map(sizeOf));
  const total = 3 * bytes.reduce((sum, size) => sum + size, 0);
  const stage = progress.start('osm', Math.round(total / 1e6), 'MB');
  let before = 0;
  let coverage: BoundingBox | null | undefined;
  let newestMs = 0;
  const pass = async (handlers: PbfHandlers, readsHeader = false) => {
    for (const [i, path] of paths.entries()) {
      const summary = await readPbf(path, handlers, (done) => {
        stage.at(Math.round((before + done) / 1e6));
      });
      before += bytes[i];
      newestMs = Math.max(newestMs, summary.newestMs);
      if (readsHeader) coverage = i === 0 ? summary.box : union(coverage ?? null, summary.box);
    }
  };

  const areas = new Map<string, AreaSource>();
  const memberWays = new Map<number, Float64Array | null>();
  await pass(
    {
      relation(id, members, tags) {
        // State parks and reserves are mapped as boundaries, which are drawn the same way.
        const type = tags.get('type');
        if (type !== 'multipolygon' && type !== 'boundary') return;
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
    osmId: new GrowableFloat64(),
    traits: new GrowableFloat64(),
    endRef: new GrowableFloat64(),
    refs: new GrowableFloat64(),
  };
  const seenStreets = paths.length > 1 ? new Set<number>() : null;
  await pass({
    way(id, refs, tags) {
      const traits = streetTraits(tags);
      if (traits !== 0 && refs.length > 1 && !seenStreets?.has(id)) {
        seenStreets?.add(id);
        streets.osmId.push(id);
        streets.traits.push(traits);
        for (const ref of refs) streets.refs.push(ref);
        streets.endRef.push(streets.refs.length);
      }
      if (memberWays.has(id)) memberWays.set(id, Float64Array.from(refs));
      if (refs.length > 0 && mayBeDestination(tags)) {
        memberWays.set(id, Float64Array.from(refs));
        const lines = [{ way: id, role: 'outer' }];
        areas.set(`w${id}`, { type: 'way', id, tags: copyTags(tags), lines });
      }
    },
  });

  const table = new NodeTable(allReferences(streets, memberWays));
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

  const kept = keepStreets(streets, table, area);
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
    coverage: coverage ?? null,
    newestMs,
    streets: kept.ways,
    nodes: kept.nodes,
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

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw unreadable(path, error);
  }
}

function union(a: BoundingBox | null, b: BoundingBox | null): BoundingBox | null {
  return a && b && boxAroundBoth(a, b);
}

function allReferences(
  streets: RawStreets,
  memberWays: ReadonlyMap<number, Float64Array | null>,
): Float64Array {
  const lines = [...memberWays.values()].filter((refs) => refs !== null);
  const all = new Float64Array(lines.reduce((sum, refs) => sum + refs.length, streets.refs.length));
  all.set(streets.refs.view());
  let at = streets.refs.length;
  for (const refs of lines) {
    all.set(refs, at);
    at += refs.length;
  }
  return all;
}

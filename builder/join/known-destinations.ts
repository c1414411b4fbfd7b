import { createHash } from 'node:crypto';
import { groupBy } from '../../shards/arrays/group-by.ts';
import { ordinalIn } from '../../shards/arrays/sorted.ts';
import type { Store } from '../../shards/store/store.ts';
import type { DestId } from '../../shards/units.ts';
import type { DestinationFacts } from '../destinations/destination.ts';
import { isListed } from '../destinations/listed-poi.ts';
import { BuildError } from '../errors.ts';
import { readJson } from '../publish/put-object.ts';
import type { Gathered, RegionReceipt } from '../receipts/region-receipt.ts';

/**
 * The destinations of a release, ascending by id, with only what is needed to find their homes: a
 * few bytes each. All other facts stay in the store until they are needed (`readFacts`).
 */
export interface KnownDestinations {
  readonly destIds: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** The number of the first region that lists each destination. */
  readonly region: Uint16Array;
  /** Fingerprints, which are equal if two regions have the same POI under an id. */
  readonly print: Float64Array;
}

type Columns = { -readonly [Name in keyof KnownDestinations]: KnownDestinations[Name] };

function columnsFor(count: number): Columns {
  return {
    destIds: new Float64Array(count),
    lon: new Float64Array(count),
    lat: new Float64Array(count),
    region: new Uint16Array(count),
    print: new Float64Array(count),
  };
}

export const NO_DESTINATIONS: KnownDestinations = columnsFor(0);

/** Converts the destinations of a region, ascending by id, to columns. */
export function columnsOf(
  destinations: readonly DestinationFacts[],
  region: number,
): KnownDestinations {
  const columns = columnsFor(destinations.length);
  for (const [i, destination] of destinations.entries()) {
    columns.destIds[i] = destination.destId;
    columns.lon[i] = destination.lon;
    columns.lat[i] = destination.lat;
    columns.region[i] = region;
    columns.print[i] = printOf(destination);
  }
  return columns;
}

const PRINT_BYTES = 6;

/**
 * Computes a fingerprint that distinguishes POIs with the same id, since two lists may use an id
 * for different POIs.
 */
function printOf(destination: DestinationFacts): number {
  const { source, name, lon, lat } = destination;
  const facts = isListed(destination) ? [source, name, lon, lat] : [source];
  return createHash('sha256').update(JSON.stringify(facts)).digest().readUIntBE(0, PRINT_BYTES);
}

/**
 * Merges two lists, with each id once. Also returns the first id under which the lists have
 * different POIs, or null.
 */
export function merged(
  known: KnownDestinations,
  fresh: KnownDestinations,
): { readonly all: KnownDestinations; readonly clash: DestId | null } {
  const all = columnsFor(known.destIds.length + fresh.destIds.length);
  let count = 0;
  let clash: DestId | null = null;
  const take = (from: KnownDestinations, i: number) => {
    all.destIds[count] = from.destIds[i];
    all.lon[count] = from.lon[i];
    all.lat[count] = from.lat[i];
    all.region[count] = from.region[i];
    all.print[count++] = from.print[i];
  };
  for (let a = 0, b = 0; a < known.destIds.length || b < fresh.destIds.length; ) {
    const [one, other] = [known.destIds[a] ?? Infinity, fresh.destIds[b] ?? Infinity];
    if (one === other && known.print[a] !== fresh.print[b]) clash ??= one;
    if (one <= other) take(known, a++);
    else take(fresh, b);
    if (other <= one) b++;
  }
  return {
    all: {
      destIds: all.destIds.slice(0, count),
      lon: all.lon.slice(0, count),
      lat: all.lat.slice(0, count),
      region: all.region.slice(0, count),
      print: all.print.slice(0, count),
    },
    clash,
  };
}

/** Creates the error for an id that regions use for two POIs, which it finds among all of them. */
export async function clashIn(
  store: Store,
  regions: readonly RegionReceipt[],
  id: DestId,
): Promise<BuildError> {
  const found = new Map<number, DestinationFacts>();
  for (const { gathered } of regions) {
    const { destinations } = await readJson<Gathered>(store, gathered);
    const one = destinations.find(({ destId }) => destId === id);
    if (one) found.set(printOf(one), one);
  }
  const [one, other] = found.values();
  return clashOf(id, one, other ?? one);
}

/** Creates the error for two regions that cannot be joined because they use one id for two POIs. */
export function clashOf(id: DestId, one: DestinationFacts, other: DestinationFacts): BuildError {
  return new BuildError(
    `${one.source} (${one.name}) and ${other.source} (${other.name}) both have dest_id ${id}, in two regions; change one of their ids`,
  );
}

/**
 * Reads all facts about some destinations, given by ascending ordinals. Regions are read one after
 * another, and only those that list any of the destinations.
 */
export async function readFacts(
  store: Store,
  regions: readonly RegionReceipt[],
  known: KnownDestinations,
  ordinals: Uint32Array,
): Promise<DestinationFacts[]> {
  const facts: DestinationFacts[] = new Array(ordinals.length);
  const wanted = groupBy(ordinals.keys(), (i) => known.region[ordinals[i]]);
  for (const [region, positions] of wanted) {
    const ids = positions.map((i) => known.destIds[ordinals[i]]);
    for (const destination of (await readJson<Gathered>(store, regions[region].gathered))
      .destinations) {
      const at = ordinalIn(ids, destination.destId);
      if (at !== -1) facts[positions[at]] = destination;
    }
  }
  return facts;
}

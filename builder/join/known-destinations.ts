import { createHash } from 'node:crypto';
import { ordinalIn } from '../../shards/arrays/sorted.ts';
import type { Store } from '../../shards/store/store.ts';
import type { DestId } from '../../shards/units.ts';
import type { DestinationFacts } from '../destinations/destination.ts';
import { isListed } from '../destinations/listed-poi.ts';
import { BuildError } from '../errors.ts';
import { readGathered } from '../receipts/gathered.ts';
import type { RegionReceipt } from '../receipts/region-receipt.ts';

/**
 * The destinations of a release, as far as finding their homes needs to know them: a few bytes each,
 * ascending by id. The rest stays in the store until it is wanted (`readFacts`).
 */
export interface KnownDestinations {
  readonly destIds: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** By its number the first region that tells of each. */
  readonly region: Uint16Array;
  /** Equal where two regions mean one place. */
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

/** What a region tells of, ascending by id. */
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

/** Of what two places of one id differ in: two lists may have an id each for another. */
function printOf(destination: DestinationFacts): number {
  const { source, name, lon, lat } = destination;
  const reported = isListed(destination) ? [source, name, lon, lat] : [source];
  return createHash('sha256').update(JSON.stringify(reported)).digest().readUIntBE(0, PRINT_BYTES);
}

/** Both lists as one, each id once; and the first id by which they mean two places, or null. */
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

/** Why two regions cannot be joined that mean two places by one id. */
export function clashOf(id: DestId, one: DestinationFacts, other: DestinationFacts): BuildError {
  return new BuildError(
    `${one.source} (${one.name}) and ${other.source} (${other.name}) both have dest_id ${id}, in two regions; change one of their ids`,
  );
}

/**
 * All that is known of some destinations, which are told by ascending ordinals. Regions are read one
 * after the other, and only those that tell of some.
 */
export async function readFacts(
  store: Store,
  regions: readonly RegionReceipt[],
  known: KnownDestinations,
  ordinals: Uint32Array,
): Promise<DestinationFacts[]> {
  const facts: DestinationFacts[] = new Array(ordinals.length);
  const wanted = new Map<number, number[]>();
  for (const [i, ordinal] of ordinals.entries()) {
    const positions = wanted.get(known.region[ordinal]);
    if (positions) positions.push(i);
    else wanted.set(known.region[ordinal], [i]);
  }
  for (const [region, positions] of wanted) {
    const ids = positions.map((i) => known.destIds[ordinals[i]]);
    for (const destination of (await readGathered(store, regions[region].gathered)).destinations) {
      const at = ordinalIn(ids, destination.destId);
      if (at !== -1) facts[positions[at]] = destination;
    }
  }
  return facts;
}

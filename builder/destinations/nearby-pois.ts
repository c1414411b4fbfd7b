import Flatbush from 'flatbush';
import { bufferBox } from '../../shards/geometry/wgs84.ts';
import type { Metres } from '../../shards/units.ts';
import { isAlike } from './comparable-types.ts';
import type { Destination } from './destination.ts';
import { poiBox, poiDistance, SAME_POI } from './poi-distance.ts';
import { isMisspeltName, isSameName, type NameWords, nameWords } from './poi-name.ts';

/** Distance between an outline and a point inside it. */
const INSIDE: Metres = 0;

/**
 * POIs indexed by the boxes of their outlines and points, to find the one that another source
 * also describes: near, with the same name and a common type.
 */
export class NearbyPois {
  readonly #pois: readonly Destination[];
  readonly #words: readonly NameWords[];
  readonly #tree: Flatbush | null;

  constructor(pois: readonly Destination[]) {
    this.#pois = pois;
    this.#words = pois.map(({ name }) => nameWords(name));
    this.#tree = pois.length === 0 ? null : new Flatbush(pois.length);
    for (const poi of pois) {
      const { minLon, minLat, maxLon, maxLat } = poiBox(poi);
      this.#tree!.add(minLon, minLat, maxLon, maxLat);
    }
    this.#tree?.finish();
  }

  /**
   * Returns the index of the nearest permitted POI that is the same as `other`. If none has the
   * same name, returns that of the nearest permitted POI whose outline contains `other` and whose
   * name is a different spelling; -1 if there is none. POIs with different house numbers are never
   * the same.
   */
  samePoi(other: Destination, mayBe: (index: number) => boolean = () => true): number {
    const same = this.#nearest(other, SAME_POI, isSameName, mayBe);
    if (same !== -1) return same;
    return this.#nearest(
      other,
      INSIDE,
      isMisspeltName,
      (index) => this.#pois[index].outline !== undefined && mayBe(index),
    );
  }

  #nearest(
    other: Destination,
    within: Metres,
    isNamed: (a: NameWords, b: NameWords) => boolean,
    mayBe: (index: number) => boolean,
  ): number {
    const words = nameWords(other.name);
    const { minLon, minLat, maxLon, maxLat } = bufferBox(poiBox(other), within);
    let nearest = -1;
    let nearestDistance = Number.POSITIVE_INFINITY;
    for (const index of this.#tree?.search(minLon, minLat, maxLon, maxLat, mayBe) ?? []) {
      const poi = this.#pois[index];
      if (!isAlike(poi, other) || !isNamed(this.#words[index], words)) continue;
      if (isNextDoor(poi, other)) continue;
      const distance = poiDistance(poi, other.lon, other.lat);
      if (distance > within || distance > nearestDistance) continue;
      if (distance === nearestDistance && index > nearest) continue;
      nearest = index;
      nearestDistance = distance;
    }
    return nearest;
  }
}

/** A POI with missing brand and address filled in from another description of it. */
export function completed(poi: Destination, other: Destination): Destination {
  return {
    ...poi,
    brand: poi.brand ?? other.brand,
    address: {
      street: poi.address.street ?? other.address.street,
      city: poi.address.city ?? other.address.city,
      state: poi.address.state ?? other.address.state,
      zip: poi.address.zip ?? other.address.zip,
    },
  };
}

/**
 * Whether two addresses name different houses: their numbers or ranges of numbers do not overlap.
 */
function isNextDoor(a: Destination, b: Destination): boolean {
  const [one, other] = [houseNumbers(a), houseNumbers(b)];
  if (one === null || other === null) return false;
  return one.last < other.first || other.last < one.first;
}

/** The numbers that an address begins with: `104 Elm St`, `100-104 Elm St`; null without any. */
function houseNumbers({ address }: Destination) {
  const found = /^(\d+)(?:\s*[-–]\s*(\d+))?/.exec(address.street ?? '');
  if (!found) return null;
  const [first, end] = [Number(found[1]), Number(found[2] ?? found[1])];
  // A hyphen within one number, as in Queens (`43-25`), is not a range unless it ascends.
  return { first, last: Math.max(first, end) };
}

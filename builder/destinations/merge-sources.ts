import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { DestTypeId, Metres } from '../../shards/units.ts';
import type { Destination } from './destination.ts';
import { isSameName, type NameWords, nameWords } from './place-name.ts';
import { TAXONOMY } from './taxonomy.ts';

/** How far apart two sources may draw one place. */
const SAME_PLACE: Metres = 100;

/** Wider than `SAME_PLACE` as far north as 76°. */
const CELL_DEGREES = { lon: 0.004, lat: 0.001 };

/**
 * One list of what two sources know, each real place once, ascending by `destId`. A place of
 * `others` that is also in `osm` (near, of the same name, of a common type) gives the one there its
 * address and brand where those lack, and is dropped; where several there may be it, the nearest
 * is. The order of neither list matters. Places of one source are not merged with each other.
 */
export function mergeSources(
  osm: readonly Destination[],
  others: readonly Destination[],
): Destination[] {
  const merged = [...osm].sort(byDestId);
  const nearby = new PlaceGrid(merged);
  const alone: Destination[] = [];
  for (const other of [...others].sort(byDestId)) {
    const same = nearby.samePlace(other);
    if (same === -1) alone.push(other);
    else merged[same] = completed(merged[same], other);
  }
  return [...merged, ...alone].sort(byDestId);
}

function byDestId(a: Destination, b: Destination): number {
  return a.destId - b.destId;
}

function completed(place: Destination, other: Destination): Destination {
  return {
    ...place,
    brand: place.brand ?? other.brand,
    address: {
      street: place.address.street ?? other.address.street,
      city: place.address.city ?? other.address.city,
      state: place.address.state ?? other.address.state,
      zip: place.address.zip ?? other.address.zip,
    },
  };
}

/** Places by cell of a grid: one is compared with those of its cell and the eight around it. */
class PlaceGrid {
  readonly #places: readonly Destination[];
  readonly #cells = new Map<number, number[]>();
  readonly #words: NameWords[];

  constructor(places: readonly Destination[]) {
    this.#places = places;
    this.#words = places.map(({ name }) => nameWords(name));
    places.forEach((place, index) => {
      const cell = cellOf(place);
      const inCell = this.#cells.get(cell);
      if (inCell) inCell.push(index);
      else this.#cells.set(cell, [index]);
    });
  }

  /** The index of the nearest place that is the same as one of another source; -1 if none is. */
  samePlace(other: Destination): number {
    const words = nameWords(other.name);
    const cell = cellOf(other);
    let nearest = -1;
    let nearestDistance = Number.POSITIVE_INFINITY;
    for (const step of AROUND) {
      for (const index of this.#cells.get(cell + step) ?? []) {
        const place = this.#places[index];
        const distance = localDistance(place.lon, place.lat, other.lon, other.lat);
        if (distance > SAME_PLACE || distance > nearestDistance) continue;
        if (distance === nearestDistance && index > nearest) continue;
        if (!isAlike(place, other) || !isSameName(this.#words[index], words)) continue;
        nearest = index;
        nearestDistance = distance;
      }
    }
    return nearest;
  }
}

/** More than the cells from pole to pole: columns of them are numbered one after another. */
const COLUMN = 2 ** 18;
const AROUND = [-COLUMN, 0, COLUMN].flatMap((dx) => [-1, 0, 1].map((dy) => dx + dy));

function cellOf({ lon, lat }: Destination): number {
  return Math.floor(lon / CELL_DEGREES.lon) * COLUMN + Math.floor(lat / CELL_DEGREES.lat);
}

/**
 * A type by which sources can agree: the leaf; for levels of schools and sizes of parks, which not
 * every source knows, the group of them.
 */
const COMPARED = comparedTypes();

function isAlike(a: Destination, b: Destination): boolean {
  return a.types.some((type) =>
    b.types.some((other) => COMPARED.get(type) === COMPARED.get(other)),
  );
}

function comparedTypes(): ReadonlyMap<DestTypeId, DestTypeId> {
  const topLevel = new Set(TAXONOMY.filter((t) => t.parent_id === null).map((t) => t.dest_type_id));
  return new Map(
    TAXONOMY.map(({ dest_type_id, parent_id }) => [
      dest_type_id,
      parent_id === null || topLevel.has(parent_id) ? dest_type_id : parent_id,
    ]),
  );
}

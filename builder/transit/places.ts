import { addTo } from '../../shards/arrays/group-by.ts';
import {
  localDistance,
  metresPerDegreeLat,
  metresPerDegreeLon,
} from '../../shards/geometry/wgs84.ts';
import type { Degrees, Metres } from '../../shards/units.ts';

/** Index of a place where stops of any feeds are. */
export type Place = number;

/** Stops within this distance are the same: versions of a feed correct the positions of stops. */
export const SAME_STOP: Metres = 50;

/** Numbers the places of stops, as they come. */
export class Places {
  readonly #byCell = new Map<string, { lon: Degrees; lat: Degrees; place: Place }[]>();
  #count = 0;

  /** Returns the nearest place within `SAME_STOP`, or a new one. */
  at(lon: Degrees, lat: Degrees): Place {
    const row = Math.floor((lat * metresPerDegreeLat(0)) / SAME_STOP);
    let nearest: { place: Place; metres: Metres } | null = null;
    for (let r = row - 1; r <= row + 1; r++) {
      const column = columnOf(lon, r);
      for (let c = column - 1; c <= column + 1; c++) {
        for (const other of this.#byCell.get(`${r} ${c}`) ?? []) {
          const metres = localDistance(lon, lat, other.lon, other.lat);
          if (metres <= SAME_STOP && !(nearest && nearest.metres <= metres)) {
            nearest = { place: other.place, metres };
          }
        }
      }
    }
    if (nearest) return nearest.place;
    const cell = `${row} ${columnOf(lon, row)}`;
    const one = { lon, lat, place: this.#count++ };
    addTo(this.#byCell, cell, one);
    return one.place;
  }
}

/** The column of a longitude among cells that are at least `SAME_STOP` wide in a row. */
function columnOf(lon: Degrees, row: number): number {
  const lat = (row * SAME_STOP) / metresPerDegreeLat(0);
  return Math.floor((lon * metresPerDegreeLon(lat)) / SAME_STOP);
}

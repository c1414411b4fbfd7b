import { z } from 'zod';
import { countyFipsSchema } from '../../shards/release/manifest.ts';
import type { CountyFips, Degrees } from '../../shards/units.ts';
import type { BlockPoint } from '../census/blocks.ts';

/** The facts about a county that are needed to divide a plan into units. */
export const countyEstimateSchema = z.strictObject({
  blocks: z.int(),
  /** The mean location of the county's blocks. */
  lon: z.number(),
  lat: z.number(),
  /**
   * Number of land blocks around each land block of the county, summed up: a measure of the time to
   * search from the county.
   */
  pairs: z.int(),
  /** Adjacent counties, ascending. These relations together connect all counties of a plan. */
  near: z.array(countyFipsSchema),
});
export type CountyEstimate = z.infer<typeof countyEstimateSchema>;

/** The height of a cell, about 5.5 km; a ride of an hour crosses about two cells. */
const CELL_DEGREES = 0.05;
const REACH_CELLS = 2;

/** Estimates counties from their blocks, which may come in any order. */
export class CountyEstimates {
  readonly #counties = new Map<CountyFips, Gathered>();
  readonly #cells = new Map<string, Cell>();

  /**
   * Adds a block. `isOwn`: whether to estimate the block's county; other blocks count only as
   * surroundings.
   */
  add({ county, lon, lat, isWater }: BlockPoint, isOwn: boolean): void {
    const row = Math.floor(lat / CELL_DEGREES);
    const key = keyOf(row, lon);
    let cell = this.#cells.get(key);
    if (!cell) {
      cell = { row, lon, land: 0, counties: new Map() };
      this.#cells.set(key, cell);
    }
    if (!isWater) cell.land++;
    if (!isOwn) return;
    cell.counties.set(county, (cell.counties.get(county) ?? 0) + (isWater ? 0 : 1));
    let own = this.#counties.get(county);
    if (!own) {
      own = { blocks: 0, lon: 0, lat: 0 };
      this.#counties.set(county, own);
    }
    own.blocks++;
    own.lon += lon;
    own.lat += lat;
  }

  /** Returns the estimates by county, ascending. */
  finish(): Record<CountyFips, CountyEstimate> {
    const pairs = new Map<CountyFips, number>();
    const near = new Map<CountyFips, Set<CountyFips>>();
    for (const county of [...this.#counties.keys()].sort()) near.set(county, new Set());
    for (const cell of this.#cells.values()) {
      const around = this.#around(cell, REACH_CELLS).reduce((sum, { land }) => sum + land, 0);
      const beside = this.#around(cell, 1).flatMap(({ counties }) => [...counties.keys()]);
      for (const [county, land] of cell.counties) {
        pairs.set(county, (pairs.get(county) ?? 0) + land * around);
        for (const other of beside) {
          if (other === county) continue;
          near.get(county)!.add(other);
          // Cells of one row are not aligned with those of the next, so the relation may be
          // one-sided.
          near.get(other)!.add(county);
        }
      }
    }
    const middles = new Map(
      [...near.keys()].map((county) => {
        const { blocks, lon, lat } = this.#counties.get(county)!;
        return [county, { lon: lon / blocks, lat: lat / blocks }] as const;
      }),
    );
    bridgeGaps(near, middles);
    return Object.fromEntries(
      [...near].map(([county, others]) => [
        county,
        {
          blocks: this.#counties.get(county)!.blocks,
          ...middles.get(county)!,
          pairs: pairs.get(county) ?? 0,
          near: [...others].sort(),
        },
      ]),
    );
  }

  #around({ row, lon }: Cell, cells: number): Cell[] {
    const found: Cell[] = [];
    for (let dy = -cells; dy <= cells; dy++) {
      const wide = widthOf(row + dy);
      for (let dx = -cells; dx <= cells; dx++) {
        const cell = this.#cells.get(keyOf(row + dy, lon + dx * wide));
        if (cell) found.push(cell);
      }
    }
    return found;
  }
}

interface Gathered {
  blocks: number;
  lon: number;
  lat: number;
}

interface Cell {
  readonly row: number;
  /** Longitude of the first block added to the cell. */
  readonly lon: Degrees;
  land: number;
  readonly counties: Map<CountyFips, number>;
}

/** Returns the width of the cells in a row, which are as wide as they are high at any latitude. */
function widthOf(row: number): Degrees {
  const middle = Math.min(85, Math.abs((row + 0.5) * CELL_DEGREES));
  return CELL_DEGREES / Math.cos((middle * Math.PI) / 180);
}

function keyOf(row: number, lon: Degrees): string {
  return `${row} ${Math.floor(lon / widthOf(row))}`;
}

/** Connects isolated counties, such as islands, to the nearest other counties, in place. */
function bridgeGaps(
  near: ReadonlyMap<CountyFips, Set<CountyFips>>,
  middles: ReadonlyMap<CountyFips, { readonly lon: Degrees; readonly lat: Degrees }>,
): void {
  for (;;) {
    const parts = connectedParts([...near.keys()], (county) => near.get(county)!);
    if (parts.length < 2) return;
    const part = parts.reduce((least, one) => (one.length < least.length ? one : least));
    const own = new Set(part);
    let best: { from: CountyFips; to: CountyFips; away: number } | null = null;
    for (const from of part) {
      const a = middles.get(from)!;
      for (const [to, b] of middles) {
        if (own.has(to)) continue;
        const away = Math.hypot((a.lon - b.lon) * Math.cos((a.lat * Math.PI) / 180), a.lat - b.lat);
        if (best === null || away < best.away) best = { from, to, away };
      }
    }
    near.get(best!.from)!.add(best!.to);
    near.get(best!.to)!.add(best!.from);
  }
}

/**
 * Returns the connected components of a graph, in the order of their first members. Members of each
 * component are in the order of `members`.
 */
export function connectedParts(
  members: readonly CountyFips[],
  near: (county: CountyFips) => Iterable<CountyFips>,
): CountyFips[][] {
  const left = new Set(members);
  const parts: CountyFips[][] = [];
  for (const first of members) {
    if (!left.delete(first)) continue;
    const part = new Set([first]);
    // Counties added during the loop are visited too.
    for (const county of part) {
      for (const other of near(county)) if (left.delete(other)) part.add(other);
    }
    parts.push(members.filter((county) => part.has(county)));
  }
  return parts;
}

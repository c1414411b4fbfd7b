import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { inject } from 'vitest';
import type { SharedProxy } from './proxy-harness.ts';

type Mode = 'walk' | 'bike' | 'transit';

interface Row {
  readonly geoid: string;
  readonly dest_type_id: number;
  readonly mode: Mode;
  readonly travel_time: number | null;
  readonly population: number;
}

/** A circle that covers the whole demo city. */
const WHOLE_CITY = { center: { lat: 36, lon: -70 }, radius_m: 30_000 };

/**
 * The demo city as plain rows: the minutes of every block as the API lists them, one by one, and
 * jobs and workers as the census files have them. Sums over these rows use arithmetic alone.
 */
export class PlainRows {
  readonly #proxy: SharedProxy;
  readonly #minutes = new Map<string, number>();
  readonly #weights = new Map<string, Map<string, number>>();
  /** Blocks of the whole city, under the key `city`. */
  readonly #areas = new Map<string, readonly string[]>();

  private constructor(proxy: SharedProxy) {
    this.#proxy = proxy;
  }

  /** Lists the minutes of the whole city by all modes to some leaf types. */
  static async load(proxy: SharedProxy, types: readonly number[]): Promise<PlainRows> {
    const city = new PlainRows(proxy);
    const people = new Map<string, number>();
    const rows = await city.#rowsIn(WHOLE_CITY, types);
    for (const { geoid, dest_type_id, mode, travel_time, population } of rows) {
      people.set(geoid, population);
      if (travel_time !== null) {
        city.#minutes.set(`${geoid} ${mode} ${dest_type_id}`, travel_time);
      }
    }
    city.#areas.set('city', [...people.keys()]);
    city.#weights.set('people', people);
    await city.#readWeights('wac', { jobs: 'C000', jobs_high_wage: 'CE03' });
    await city.#readWeights('rac', { workers_low_wage: 'CE01' });
    return city;
  }

  /** Minutes from a block to the nearest POI of a type; infinite beyond 30. */
  minutes(geoid: string, mode: Mode, type: number): number {
    return this.#minutes.get(`${geoid} ${mode} ${type}`) ?? Number.POSITIVE_INFINITY;
  }

  /** Sum of a weight over the blocks that a condition holds for. */
  sum(
    blocks: readonly string[],
    isCounted: (geoid: string) => boolean = () => true,
    weight = 'people',
  ): number {
    const counts = this.#weights.get(weight)!;
    return blocks.filter(isCounted).reduce((sum, geoid) => sum + (counts.get(geoid) ?? 0), 0);
  }

  /** Blocks of a county, in the order of their GEOIDs. */
  county(fips: string): string[] {
    return this.#areas
      .get('city')!
      .filter((geoid) => geoid.startsWith(fips))
      .sort();
  }

  async place(geoid: string): Promise<string[]> {
    const found = new Set<string>();
    for (let cursor = ''; ; ) {
      const url = `/v1/places/${geoid}/blocks?mode=walk&type=102&include_missing=true&limit=1000${cursor}`;
      const { results, next_cursor } = (await this.#get(url)) as {
        results: Row[];
        next_cursor: string | null;
      };
      for (const row of results) found.add(row.geoid);
      if (next_cursor === null) return [...found].sort();
      cursor = `&cursor=${next_cursor}`;
    }
  }

  async circle(lat: number, lon: number, radius_m: number): Promise<string[]> {
    const rows = await this.#rowsIn({ center: { lat, lon }, radius_m }, [102]);
    return [...new Set(rows.map(({ geoid }) => geoid))].sort();
  }

  /** The block that contains a point. */
  async blockAt(lat: number, lon: number): Promise<string> {
    const url = `/v1/point/summary?lat=${lat}&lon=${lon}&mode=walk&type=102`;
    return ((await this.#get(url)) as { block: { geoid: string } }).block.geoid;
  }

  /**
   * Blocks that a block reaches within whole minutes or, with the direction `to`, that reach it.
   */
  async reach(geoid: string, mode: Mode, minutes: number, direction: 'from' | 'to' = 'from') {
    const query = `block=${geoid}&mode=${mode}&minutes=${minutes}&direction=${direction}`;
    const { blocks } = (await this.#get(`/v1/isochrone?${query}&format=blocks`)) as {
      blocks: { geoid: string }[];
    };
    return blocks.map((one) => one.geoid);
  }

  /** Number of POIs of a type within the given minutes of a block. */
  async poisNear(geoid: string, mode: Mode, type: number, minutes: number): Promise<number> {
    const url = `/v1/blocks/${geoid}/pois?mode=${mode}&type=${type}&max_minutes=${minutes}&limit=1000`;
    return ((await this.#get(url)) as { results: unknown[] }).results.length;
  }

  async #get(url: string): Promise<unknown> {
    const response = await this.#proxy.get(url, this.#proxy.key);
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.body}`);
    return response.json();
  }

  async #rowsIn(area: object, types: readonly number[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | undefined; ; ) {
      const body = {
        ...area,
        mode: ['walk', 'bike', 'transit'],
        type: types,
        limit: 1_000,
        cursor,
        include_population: true,
        include_missing: true,
      };
      const response = await this.#proxy.post('/v1/blocks/query', this.#proxy.key, body);
      const { results, next_cursor } = response.json();
      rows.push(...results);
      if (next_cursor === null) return rows;
      cursor = next_cursor;
    }
  }

  /** Reads columns of a LODES file, whose first column is the block. */
  async #readWeights(kind: string, columns: Readonly<Record<string, string>>): Promise<void> {
    const folder = path.join(inject('demoCity'), 'weights');
    const name = (await readdir(folder)).find((one) => one.includes(`_${kind}_`))!;
    const text = gunzipSync(await readFile(path.join(folder, name))).toString();
    const [header, ...lines] = text.trim().split('\n');
    for (const [weight, column] of Object.entries(columns)) {
      const at = header.split(',').indexOf(column);
      const counts = lines.map((line) => line.split(','));
      this.#weights.set(weight, new Map(counts.map((row) => [row[0], Number(row[at])])));
    }
  }
}

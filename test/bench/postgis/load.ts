import { blocksOfArea, marginsOf } from '../../../proxy/queries/areas/area.ts';
import { placeOf } from '../../../proxy/queries/areas/places.ts';
import { linkModeOf, modeIdOf } from '../../../shards/modes.ts';
import type { Release } from '../../../shards/release/release.ts';
import { MICRO } from '../../../shards/units.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';
import type { Place } from '../places.ts';
import type { Cluster } from './cluster.ts';
import { ewkbMultiPolygon, ewkbPoint } from './ewkb.ts';
import { INDEXES, SETTLE, TABLES } from './schema.ts';

/** A separate account for each key hash, each with this many tokens. */
export interface Accounts {
  readonly keyHashes: readonly string[];
  readonly tokens: number;
}

/**
 * Loads the rows of a release into an empty cluster, creates the indexes, then vacuums and analyses
 * it.
 */
export async function loadRelease(
  cluster: Cluster,
  release: Release,
  places: readonly Place[],
  { keyHashes, tokens }: Accounts,
): Promise<void> {
  await cluster.execute(TABLES);
  await cluster.copy('block', blockLines(release));
  await cluster.copy('nearest', nearestLines(release));
  await cluster.copy('poi', poiLines(release));
  await cluster.copy('poi_time', poiTimeLines(release));
  await cluster.copy('place', placeLines(release, places));
  await cluster.copy(
    'account',
    keyHashes.map((_, i) => line(i, tokens, 'f')),
  );
  await cluster.copy(
    'api_key',
    keyHashes.map((hash, i) => line(hash, i, i, 'f')),
  );
  await cluster.execute(INDEXES);
  await cluster.execute(SETTLE);
}

async function* blockLines(release: Release): AsyncGenerator<string> {
  for (const county of Object.values(release.manifest.counties)) {
    const index = await release.index(county);
    const unrouted = new Uint8Array(index.count);
    for (const { mode } of release.services) {
      for (const block of index.unlinked(linkModeOf(mode))) unrouted[block] |= 1 << modeIdOf(mode);
    }
    for (let i = 0; i < index.count; i++) {
      const centre = ewkbPoint(index.lon[i] / MICRO, index.lat[i] / MICRO);
      yield line(index.geoids[i], index.population(i), index.landArea(i), unrouted[i], centre);
    }
  }
}

async function* placeLines(release: Release, places: readonly Place[]): AsyncGenerator<string> {
  for (const { geoid, area } of places) {
    const isServed = (await placeOf(release, geoid)) !== undefined;
    const parts = isServed ? await blocksOfArea(release, { kind: 'places', geoids: [geoid] }) : [];
    const margin = (await marginsOf(release, parts, [PEOPLE.weight]))[PEOPLE.weight];
    yield line(geoid, margin, ewkbMultiPolygon(area));
  }
}

async function* nearestLines(release: Release): AsyncGenerator<string> {
  const { leafIds } = release.taxonomy;
  const modeIds = release.services.map(({ mode }) => modeIdOf(mode));
  for (const county of Object.values(release.manifest.counties)) {
    const index = await release.index(county);
    for (let block = 0; block < index.count; block++) {
      if (!index.isRoutable(block)) continue;
      const times = await release.nearest(county, block);
      for (const [column, tenths] of times.entries()) {
        if (tenths === 0) continue;
        const mode = modeIds[Math.floor(column / leafIds.length)];
        yield line(index.geoids[block], mode, leafIds[column % leafIds.length], tenths);
      }
    }
  }
}

/** Lines of POIs, each in its home county only, in the order in which a search reads them. */
async function* poiLines(release: Release): AsyncGenerator<string> {
  let spatialRank = 0;
  for (const fips of Object.keys(release.manifest.counties).sort()) {
    const { matrix, table, byRank } = await release.catchments(release.county(fips)!);
    for (const ordinal of byRank) {
      const { name, lon, lat, street, city, state, zip, types } = table.facts(ordinal);
      const facts = [name, lon, lat, street, city, state, zip, `{${types.join(',')}}`];
      yield line(matrix.origins[ordinal], spatialRank++, ...facts, ewkbPoint(lon, lat));
    }
  }
}

async function* poiTimeLines(release: Release): AsyncGenerator<string> {
  const modeIds = release.services.map(({ mode }) => modeIdOf(mode));
  for (const county of Object.values(release.manifest.counties)) {
    const pois = await release.pois(county);
    const { origins, targets } = pois.matrix;
    for (let block = 0; block < origins.length; block++) {
      const row = await pois.matrix.row(block);
      // One piece per block, since there are many millions of rows.
      let lines = '';
      for (const [mode, reached] of row.entries()) {
        for (const [i, target] of reached.targets.entries()) {
          lines += `${origins[block]}\t${targets[target]}\t${modeIds[mode]}\t${reached.times[i]}\n`;
        }
      }
      yield lines;
    }
  }
}

/** A row of PostgreSQL's text format. */
function line(...values: readonly (string | number | null)[]): string {
  return `${values.map(field).join('\t')}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function field(value: string | number | null): string {
  if (value === null) return '\\N';
  return String(value).replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character]);
}

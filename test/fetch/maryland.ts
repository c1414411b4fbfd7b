import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readCounties } from '../../builder/census/county-layer.ts';
import { ZipInput } from '../../builder/inputs/zip.ts';
import { writeZip, type ZipPart } from '../../builder/inputs/zip-writer.ts';
import { silent } from '../../builder/progress.ts';
import { addressLayer } from '../../infra/demo/address-layer.ts';
import { COUNTIES } from '../../infra/demo/census-ids.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { streetNames } from '../../infra/demo/names.ts';
import { type ShapefileLayer, writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { blockLayer, countyLayer, placeLayer } from '../../infra/demo/tiger-layers.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { FICTIONAL_STATE } from '../../shards/states.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { catalogueFile, serviceArea } from './catalogue-file.ts';
import type { Mirror } from './mirror.ts';
import { putOverture } from './overture-file.ts';

export const CITY = { blocks: 500, seed: 3 };
/** The state that the fictional city belongs to. */
const MARYLAND = '24';
export const COUNTY = `${MARYLAND}001`;

/** The licence of the feed in the catalogue. */
export const LICENCE = 'https://transit.example/terms';

/** The release of Overture. */
export const OVERTURE = '2025-10-22.0';

export const PATHS = {
  counties: '/geo/tiger/GENZ2020/shp/cb_2020_us_county_500k.zip',
  placeList: '/geo/docs/reference/codes2020/national_place_by_county2020.txt',
  blocks: '/geo/tiger/TIGER2024/TABBLOCK20/tl_2024_24_tabblock20.zip',
  places: '/geo/tiger/TIGER2024/PLACE/tl_2024_24_place.zip',
  addresses: '/geo/tiger/TIGER2024/ADDRFEAT/tl_2024_24001_addrfeat.zip',
  osm: '/north-america/us/maryland-latest.osm.pbf',
  catalogue: '/feeds_v2.csv',
  feed: '/mdb-247/latest.zip',
  wac: '/data/lodes/LODES8/md/wac/md_wac_S000_JT00_2022.csv.gz',
  rac: '/data/lodes/LODES8/md/rac/md_rac_S000_JT00_2021.csv.gz',
  lodes: '/data/lodes/LODES8/md/lodes_md.sha256sum',
  pl: '/programs-surveys/decennial/2020/data/01-Redistricting_File--PL_94-171/Maryland/md2020.pl.zip',
} as const;

/**
 * Lays the demo city out on a mirror as the real services would, were it in Maryland:
 * OpenStreetMap, census, a catalogue with one feed, one Overture place, counts by block, address
 * ranges of a county. Returns the box of that county.
 */
export async function layOutMaryland(mirror: Mirror, folder: string): Promise<BoundingBox> {
  const city = await writeDemoCity({ ...CITY, out: path.join(folder, 'city') }, silent);
  const plan = planCity(CITY);
  const put = async (served: string, ...layers: ShapefileLayer[]) => {
    const file = path.join(folder, path.basename(served));
    mkdirSync(folder, { recursive: true });
    await writeShapefile(file, inMaryland(path.basename(served, '.zip'), layers));
    mirror.put(served, readFileSync(file));
    return file;
  };
  const counties = await put(PATHS.counties, countyLayer(plan));
  await put(PATHS.blocks, ...COUNTIES.map((county) => blockLayer(plan, county)));
  await put(PATHS.places, placeLayer(plan));
  await put(PATHS.addresses, addressLayer(plan, streetNames(plan), COUNTIES[0]));
  putOsm(mirror, PATHS.osm, readFileSync(city.osm));
  mirror.put(PATHS.feed, readFileSync(city.gtfs));
  mirror.put(PATHS.placeList, PLACE_LIST);
  const [box] = (await readCounties(counties)).get(COUNTY)!.boxes;
  mirror.put(PATHS.catalogue, catalogue(box, `${mirror.url}${PATHS.feed}`, LICENCE));
  const place = { id: 'p', name: 'Corner Store', category: 'grocery_store' };
  const at = { lon: (box.minLon + box.maxLon) / 2, lat: (box.minLat + box.maxLat) / 2 };
  const overture = { label: OVERTURE, files: [[{ ...place, ...at }]] };
  putOverture(mirror, overture, { rowsPerGroup: 10 });
  await putWeights(mirror, city.weights, folder);
  return box;
}

/**
 * Serves counts by block, moved to Maryland. The latest counts by residence are a year older than
 * those by workplace.
 */
async function putWeights(
  mirror: Mirror,
  [wac, rac, pl]: readonly string[],
  folder: string,
): Promise<void> {
  const moved = (text: string) => text.replaceAll(/(?<!\d)99(?=\d{13}(?!\d))/g, MARYLAND);
  for (const [file, served] of [
    [wac, PATHS.wac],
    [rac, PATHS.rac],
  ]) {
    const csv = gunzipSync(readFileSync(file)).toString();
    mirror.put(served, gzipSync(moved(csv)));
  }
  const zip = await ZipInput.open(pl, ['.pl']);
  const parts: ZipPart[] = [];
  for (const name of zip.names) {
    const bytes = Buffer.from(moved(await text(zip.stream(name))), 'latin1');
    parts.push({ name, chunks: () => [bytes] });
  }
  zip.close();
  const file = path.join(folder, path.basename(PATHS.pl));
  await writeZip(file, parts);
  mirror.put(PATHS.pl, readFileSync(file));
  putChecksums(mirror);
}

/**
 * Serves the list of LODES files as `sha256sum` writes it, including years and tables that are not
 * wanted.
 */
export function putChecksums(mirror: Mirror): void {
  const older = PATHS.wac.replace('2022', '2019');
  const federal = PATHS.wac.replace('JT00_2022', 'JT04_2023');
  const lines = [older, PATHS.wac, PATHS.rac, federal].map((served) => {
    const bytes = mirror.has(served) ? mirror.served(served).bytes : '';
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return `${sha256}  ${path.basename(served)}\n`;
  });
  mirror.put(PATHS.lodes, lines.join(''));
}

/** Serves an extract with its MD5 file. */
export function putOsm(mirror: Mirror, served: string, bytes: Uint8Array): void {
  const md5 = createHash('md5').update(bytes).digest('hex');
  mirror.put(served, bytes);
  mirror.put(`${served}.md5`, `${md5}  ${path.basename(served)}\n`);
}

/** The census list of places by county: the places of the demo city, and others. */
const PLACE_LIST = [
  'STATE|STATEFP|COUNTYFP|COUNTYNAME|PLACEFP|PLACENS|PLACENAME|TYPE|CLASSFP|FUNCSTAT',
  'MD|24|001|Meridian County|57600|1|Port Meridian city|INCORPORATED PLACE|C1|A',
  'MD|24|003|Halcyon County|31200|2|Halcyon town|INCORPORATED PLACE|C1|A',
  'VA|51|001|Accomack County|31200|3|Halcyon town|INCORPORATED PLACE|C1|A',
].join('\n');

/** A catalogue of one feed. */
export function catalogue(box: BoundingBox, url: string, licence = ''): string {
  const feed = { id: 'mdb-247', provider: 'Demo Transit', 'urls.latest': url };
  return catalogueFile([{ ...feed, 'urls.license': licence, ...serviceArea(box) }]);
}

/** Merges layers, and replaces the fictional state's codes by Maryland's. */
function inMaryland(name: string, layers: readonly ShapefileLayer[]): ShapefileLayer {
  const { fields, isOfLines = false } = layers[0];
  const codes = new Set(
    ['STATEFP', 'STATEFP20', 'GEOID', 'GEOID20'].flatMap((code) => {
      const column = fields.findIndex((field) => field.name === code);
      return column === -1 ? [] : [column];
    }),
  );
  const moved = (value: string | number, column: number) =>
    codes.has(column) ? String(value).replace(new RegExp(`^${FICTIONAL_STATE}`), MARYLAND) : value;
  return {
    name,
    fields,
    isOfLines,
    *records() {
      for (const layer of layers) {
        for (const { polygon, values } of layer.records()) {
          yield { polygon, values: values.map(moved) };
        }
      }
    },
  };
}

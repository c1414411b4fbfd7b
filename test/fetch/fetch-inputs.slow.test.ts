import {
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readInputList } from '../../builder/fetch/fetch-folder.ts';
import {
  type FetchRequest,
  fetchInputs,
  INPUT_KINDS,
  type InputKind,
} from '../../builder/fetch/fetch-inputs.ts';
import { osmExtract } from '../../builder/fetch/public-files.ts';
import { lodesChecksums, redistrictingData } from '../../builder/fetch/weight-files.ts';
import { ZipInput } from '../../builder/inputs/zip.ts';
import { writeZip, type ZipPart } from '../../builder/inputs/zip-writer.ts';
import { silent } from '../../builder/progress.ts';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import type { Ring } from '../../shards/geometry/polygon.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { buildPlain } from '../support/build-plain.ts';
import { boxRing } from '../support/rings.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { COUNTY, catalogue, layOutMaryland, OVERTURE, PATHS, putOsm } from './maryland.ts';
import { Mirror } from './mirror.ts';
import { placesIn, putOverture } from './overture-file.ts';
import { scratchFolders } from './scratch-folders.ts';

const folderPath = scratchFolders();
let mirror: Mirror;
let out: string;
let box: BoundingBox;

beforeEach(async () => {
  mirror = await Mirror.start();
  out = folderPath();
  box = await layOutMaryland(mirror, folderPath());
});
afterEach(() => mirror.close());

const services = () => ({
  geofabrik: mirror.url,
  census: mirror.url,
  lodes: mirror.url,
  mobility: mirror.url,
  overture: mirror.url,
});

/** The lines that fetches noted. */
const notes: string[] = [];

/** Fetches inputs; returns their paths. */
const fetchCounty = async (over: Partial<FetchRequest> = {}) => {
  const { inputs, ...rest } = await fetchInputs(
    {
      area: county(COUNTY),
      out,
      inputs: INPUT_KINDS,
      gtfs: [],
      overtureRelease: null,
      services: services(),
      http: { idleMs: 2_000, retryMs: 2 },
      ...over,
    },
    { ...silent, note: (line) => notes.push(line) },
  );
  const at = (files: readonly string[]) => files.map((file) => path.join(out, file));
  const { osm, blocks, places, pois, weights, addresses } = inputs;
  return {
    osm: at(osm),
    blocks: at(blocks),
    places: at(places),
    gtfs: at(inputs.gtfs.map(({ file }) => file)),
    pois: at(pois),
    weights: at(weights),
    addresses: at(addresses),
    ...rest,
  };
};

const county = (...counties: string[]) => ({ places: [], counties, states: [], nation: false });

const only = (...inputs: InputKind[]) => ({ inputs });

/** Serves a layer of counties, each the area of some rings. */
async function putCounties(counties: readonly { county: string; rings: Ring[] }[]): Promise<void> {
  const file = path.join(folderPath(), path.basename(PATHS.counties));
  await writeShapefile(file, {
    name: 'cb_2020_us_county_500k',
    fields: [{ name: 'GEOID', type: 'C', width: 5, decimals: 0 }],
    records: () =>
      counties.map(({ county, rings }) => ({
        polygon: rings.map((ring) => ring.toReversed()),
        values: [county],
      })),
  });
  mirror.put(PATHS.counties, readFileSync(file));
}

/** Zips some tables of a feed in the opposite order, into a folder. */
async function zippedAnew(feed: Uint8Array, isWanted: (name: string) => boolean): Promise<Buffer> {
  const [before, after] = ['before.zip', 'after.zip'].map((name) => path.join(folderPath(), name));
  writeFileSync(before, feed);
  const zip = await ZipInput.open(before, ['.txt']);
  const parts: ZipPart[] = [];
  for (const name of zip.names.filter(isWanted).reverse()) {
    const content = await buffer(zip.stream(name));
    parts.push({ name: `feed/${name}`, chunks: () => [content] });
  }
  zip.close();
  await writeZip(after, parts);
  return readFileSync(after);
}

test('a build accepts the fetched files', async () => {
  const fetched = await fetchCounty();
  expect(fetched).toEqual({
    osm: [path.join(out, 'osm/maryland-latest.osm.pbf')],
    blocks: [path.join(out, 'blocks/tl_2024_24_tabblock20.zip')],
    places: ['tl_2024_24_place.zip', 'cb_2020_us_county_500k.zip'].map((name) =>
      path.join(out, 'places', name),
    ),
    gtfs: [path.join(out, 'gtfs/mdb-247.zip')],
    pois: [path.join(out, 'pois/overture-00000.parquet')],
    remarks: [],
    weights: [
      path.join(out, 'weights/md2020.pl.zip'),
      path.join(out, 'weights/md_wac_S000_JT00_2022.csv.gz'),
      path.join(out, 'weights/md_rac_S000_JT00_2021.csv.gz'),
    ],
    addresses: [
      path.join(out, 'addresses/tl_2024_24001_addrfeat.zip'),
      path.join(out, 'osm/maryland-latest.osm.pbf'),
    ],
    withoutWeights: [],
  });
  expect(readdirSync(out).sort()).toEqual(
    ['addresses', 'blocks', 'gtfs', 'osm', 'places', 'pois', 'sources.json', 'weights'].sort(),
  );
  const { files } = JSON.parse(readFileSync(path.join(out, 'sources.json'), 'utf8'));
  const inputs = Object.values(fetched).flat() as string[];
  for (const file of inputs) expect(files[path.relative(out, file)].bytes).toBeGreaterThan(0);

  const store = new FolderStore(folderPath());
  const { remarks: _, withoutWeights: __, ...given } = fetched;
  const request = { ...given, counties: [COUNTY] };
  const { manifest } = await buildPlain(request, store);
  await store.close();
  expect(manifest.counties[COUNTY].objects.addresses?.bytes).toBeGreaterThan(1_000);
  expect(manifest.counties[COUNTY].routable_blocks).toBeGreaterThan(100);
  const years = Object.fromEntries(manifest.weights.map(({ weight, year }) => [weight, year]));
  expect(years).toMatchObject({ jobs: 2022, workers: 2021, hispanic: 2020 });
});

test('counts that differ from the publisher’s SHA-256 are refused, and fetched again', async () => {
  const { bytes } = mirror.served(PATHS.wac);
  mirror.put(PATHS.wac, gzipSync(gunzipSync(bytes).toString().replace(/1/, '2')));
  await expect(fetchCounty(only('weights'))).rejects.toThrow(
    /md_wac_S000_JT00_2022\.csv\.gz: its SHA-256 is .*, but its publisher lists/,
  );
  expect(readdirSync(path.join(out, 'weights'))).not.toContain(path.basename(PATHS.wac));
  mirror.put(PATHS.wac, bytes);
  expect((await fetchCounty(only('weights'))).weights).toHaveLength(3);
});

test('a state without a LODES table has the other tables, and the reason is given', async () => {
  mirror.remove(PATHS.wac);
  mirror.put(PATHS.lodes, mirror.served(PATHS.lodes).bytes.toString().replaceAll('_wac_', '_od_'));
  const { weights, withoutWeights } = await fetchCounty(only('weights'));
  expect(weights.map((file) => path.basename(file))).toEqual([
    'md2020.pl.zip',
    'md_rac_S000_JT00_2021.csv.gz',
  ]);
  expect(withoutWeights).toEqual([`${mirror.url}${PATHS.lodes}: lists no WAC of all jobs`]);
  mirror.remove(PATHS.lodes);
  const none = await fetchCounty({ ...only('weights'), out: folderPath() });
  expect(none.weights).toHaveLength(1);
  expect(none.withoutWeights).toEqual([expect.stringMatching(/lodes_md\.sha256sum: not found/)]);
});

test('counts of each state are fetched from the addresses of their publishers', () => {
  const urls = ['24', '11', '54'].flatMap((state) =>
    [redistrictingData, lodesChecksums].map((of) => of(services(), state).url),
  );
  const folder = '/programs-surveys/decennial/2020/data/01-Redistricting_File--PL_94-171';
  expect(urls.map((url) => url.slice(mirror.url.length))).toEqual([
    `${folder}/Maryland/md2020.pl.zip`,
    '/data/lodes/LODES8/md/lodes_md.sha256sum',
    `${folder}/District_of_Columbia/dc2020.pl.zip`,
    '/data/lodes/LODES8/dc/lodes_dc.sha256sum',
    `${folder}/West_Virginia/wv2020.pl.zip`,
    '/data/lodes/LODES8/wv/lodes_wv.sha256sum',
  ]);
});

test('a second fetch downloads nothing', async () => {
  const first = await fetchCounty();
  expect(mirror.takeSent()).toBeGreaterThan(50_000);
  expect(await fetchCounty()).toEqual(first);
  expect(mirror.takeSent()).toBe(0);
});

test('fetches OpenStreetMap of a state that trips reach into, but not its census', async () => {
  const width = box.maxLon - box.minLon;
  const eastwards = (by: number): Ring => {
    const [west, east] = [box.minLon + by, box.maxLon + by];
    const { minLat, maxLat } = box;
    return boxRing(west, minLat, east, maxLat);
  };
  await putCounties([
    { county: COUNTY, rings: [eastwards(0)] },
    { county: '11001', rings: [eastwards(width + 0.01)] },
    { county: '51001', rings: [eastwards(width + 1)] },
    // A state without extracts.
    { county: '78010', rings: [eastwards(width)] },
  ]);
  const { bytes } = mirror.served(PATHS.osm);
  putOsm(mirror, '/north-america/us/district-of-columbia-latest.osm.pbf', bytes);
  const { osm, blocks } = await fetchCounty(only('osm', 'census'));
  expect([...osm, ...blocks].map((name) => path.basename(name))).toEqual([
    'district-of-columbia-latest.osm.pbf',
    'maryland-latest.osm.pbf',
    'tl_2024_24_tabblock20.zip',
  ]);
});

test('reports a feed that is unavailable, and fetches the rest', async () => {
  mirror.remove(PATHS.feed);
  const { gtfs, remarks, osm } = await fetchCounty();
  expect(gtfs).toEqual([]);
  expect(remarks).toEqual([expect.stringMatching(/^Demo Transit: http.*latest\.zip: not found/)]);
  expect(osm).toHaveLength(1);
});

test('reports a feed that is not GTFS and does not keep it', async () => {
  const { bytes } = mirror.served(PATHS.feed);
  for (const content of [
    '<html>log in</html>',
    bytes.subarray(0, bytes.length / 2),
    await zippedAnew(bytes, (name) => name !== 'trips.txt'),
  ]) {
    mirror.put(PATHS.feed, content);
    const { gtfs, remarks } = await fetchCounty(only('gtfs'));
    expect([gtfs, existsSync(path.join(out, 'gtfs/mdb-247.zip'))]).toEqual([[], false]);
    expect(remarks).toEqual([
      expect.stringMatching(/latest\.zip: the download is not the expected file/),
    ]);
  }
});

test('of feeds with the same tables, the first is used and the others are named', async () => {
  const { bytes } = mirror.served(PATHS.feed);
  const feeds = {
    same: bytes,
    anew: await zippedAnew(bytes, () => true),
    other: await zippedAnew(bytes, (name) => name !== 'feed_info.txt'),
  };
  const [head, entry] = catalogue(box, `${mirror.url}${PATHS.feed}`).trim().split('\n');
  const terms = 'https://terms.example';
  const [, licensed] = catalogue(box, `${mirror.url}${PATHS.feed}`, terms).trim().split('\n');
  const entries = Object.entries(feeds).map(([name, content]) => {
    mirror.put(`/${name}.zip`, content);
    return (name === 'same' ? licensed : entry)
      .replace('mdb-247', `tld-${name}`)
      .replace('Demo Transit', `Agency ${name}`)
      .replace(PATHS.feed, `/${name}.zip`);
  });
  mirror.put(PATHS.catalogue, [head, ...entries, entry].join('\n'));
  const expected = {
    gtfs: ['mdb-247', 'tld-other'].map((name) => path.join(out, `gtfs/${name}.zip`)),
    remarks: ['anew', 'same'].map(
      (name) =>
        `Agency ${name} (tld-${name}): has the tables of Demo Transit (mdb-247), which is used`,
    ),
  };
  expect(await fetchCounty(only('gtfs'))).toMatchObject(expected);
  mirror.takeSent();
  expect(await fetchCounty(only('gtfs'))).toMatchObject(expected);
  expect(mirror.takeSent()).toBe(0);
  // The licence may be stated for any of them.
  const { inputs } = JSON.parse(readFileSync(path.join(out, 'sources.json'), 'utf8'));
  expect(inputs.gtfs).toMatchObject([{ licence: terms }, { licence: null }]);
});

test('of a county across the antimeridian, fetches both sides and nothing between them', async () => {
  const aleutians = '02016';
  const sides: Ring[] = [boxRing(-179.2, 51.2, -170, 53), boxRing(172.4, 51.8, 180, 53.6)];
  await putCounties([
    { county: aleutians, rings: sides },
    { county: '02013', rings: [boxRing(-165, 52, -160, 56)] },
    { county: COUNTY, rings: [boxRing(-3, 52, -2, 53)] },
  ]);
  putOsm(mirror, '/north-america/us/alaska-latest.osm.pbf', mirror.served(PATHS.osm).bytes);
  const [head, entry] = catalogue(box, `${mirror.url}${PATHS.feed}`).trim().split('\n');
  const { minLon, minLat, maxLon, maxLat } = box;
  const at = (id: string, lon: number, lat: number) =>
    entry
      .replace('mdb-247', id)
      .replace(`${minLat},${maxLat},${minLon},${maxLon}`, [lat, lat, lon, lon].join());
  const feeds = [at('edmonton', -113.5, 52.5), at('adak', -176.6, 51.9), at('attu', 173, 52.8)];
  mirror.put(PATHS.catalogue, [head, ...feeds].join('\n'));
  const places = [
    { id: 'amsterdam', lon: 4.9, lat: 52.4 },
    { id: 'adak', lon: -176.6, lat: 51.9 },
    { id: 'attu', lon: 173, lat: 52.8 },
    // Within reach of the eastern side only, across the antimeridian.
    { id: 'across', lon: -179.95, lat: 53.55 },
    { id: 'edmonton', lon: -113.5, lat: 53.5 },
  ].map((one) => ({ ...one, name: one.id, category: 'grocery_store' }));
  putOverture(mirror, { label: OVERTURE, files: [places] }, { rowsPerGroup: 1 });
  const { osm, gtfs, remarks, pois } = await fetchCounty({
    ...only('osm', 'gtfs', 'pois'),
    area: county(aleutians),
  });
  expect(osm.map((file) => path.basename(file))).toEqual(['alaska-latest.osm.pbf']);
  expect(gtfs.map((file) => path.basename(file))).toEqual(['adak.zip']);
  expect(remarks).toEqual([
    expect.stringMatching(/\(attu\): is the feed at the address of .*\(adak\)/),
  ]);
  expect(await placesIn(pois)).toEqual(['adak', 'attu', 'across']);
});

test('keeps using a feed that has since disappeared, and reports that', async () => {
  const { gtfs } = await fetchCounty(only('gtfs'));
  mirror.remove(PATHS.feed);
  const again = await fetchCounty(only('gtfs'));
  expect(again.gtfs).toEqual(gtfs);
  expect(again.remarks).toEqual([
    expect.stringMatching(/not found.*using the copy of 20.* instead/),
  ]);
});

test('tries the agency’s own address where the catalogue’s copy fails', async () => {
  const text = catalogue(box, `${mirror.url}/gone.zip`).split('\n');
  const column = text[0].split(',').indexOf('urls.direct_download');
  const values = text[1].split(',');
  values[column] = `${mirror.url}${PATHS.feed}`;
  mirror.put(PATHS.catalogue, `${text[0]}\n${values.join(',')}\n`);
  expect(await fetchCounty(only('gtfs'))).toMatchObject({
    gtfs: [path.join(out, 'gtfs/mdb-247.zip')],
    remarks: [],
  });
});

test('the catalogue does not lead to private hosts that the user did not name or allow', async () => {
  const other = await ofThisTest(Mirror.start());
  other.put(PATHS.feed, mirror.served(PATHS.feed).bytes);
  mirror.put(PATHS.catalogue, catalogue(box, `${other.url}${PATHS.feed}`));
  const refused = await fetchCounty(only('gtfs'));
  expect([refused.gtfs, other.exchanges]).toEqual([[], []]);
  expect(refused.remarks).toEqual([
    expect.stringContaining(`points to ${other.host}, which is at 127.0.0.1, not a public address`),
  ]);
  const { gtfs } = await fetchCounty({ ...only('gtfs'), allowedHosts: [other.host] });
  expect(gtfs).toHaveLength(1);
});

test('feeds given by address replace the catalogue’s', async () => {
  const url = `${mirror.url}${PATHS.feed}`;
  const other = `${mirror.url}/other.zip`;
  const { bytes } = mirror.served(PATHS.feed);
  mirror.put('/other.zip', await zippedAnew(bytes, (name) => name !== 'feed_info.txt'));
  const { gtfs } = await fetchCounty({ ...only('gtfs'), gtfs: [url, `${other}?line=7`, url] });
  expect(gtfs.map((file) => path.basename(file))).toEqual([
    expect.stringMatching(/^127-0-0-1-\d+-mdb-247-latest-[0-9a-f]{8}\.zip$/),
    expect.stringMatching(/^127-0-0-1-\d+-other-[0-9a-f]{8}\.zip$/),
  ]);
  expect(mirror.gets(PATHS.catalogue)).toEqual([]);
});

test('a disk that is full in the middle leaves no list of inputs, and the same command goes on', async () => {
  symlinkSync('/dev/full', path.join(out, 'sources.json.part'));
  await expect(fetchCounty()).rejects.toThrow(
    /sources\.json: the disk is full; free some space and run the command again to resume$/,
  );
  await expect(readInputList(out)).rejects.toThrow(/holds no complete download/);
  unlinkSync(path.join(out, 'sources.json.part'));
  expect((await fetchCounty()).osm).toHaveLength(1);
  expect(await readInputList(out)).toMatchObject({ counties: [COUNTY] });
});

test('a catalogue with other columns is refused before anything large is downloaded', async () => {
  mirror.put(PATHS.catalogue, 'feed,address\n1,http://agency.example/feed.zip\n');
  await expect(fetchCounty()).rejects.toThrow(
    /feeds_v2\.csv: .* it has no column data_type; check --mobility-url/,
  );
  expect(mirror.gets(PATHS.osm)).toEqual([]);
  mirror.put(PATHS.catalogue, catalogue(box, `${mirror.url}${PATHS.feed}`));
  expect((await fetchCounty()).gtfs).toHaveLength(1);
});

test('inputs that are not asked for stay in the list of the same counties, and of no others', async () => {
  await fetchCounty();
  await fetchCounty(only('gtfs'));
  expect(await readInputList(out)).toMatchObject({ counties: [COUNTY], pois: [expect.anything()] });
  const replaced = `the folder lists the inputs of ${COUNTY}, which these replace; another --out keeps both`;
  expect(notes).not.toContain(replaced);
  await fetchCounty({ ...only('gtfs'), area: county('24003') });
  expect(notes).toContain(replaced);
  await expect(readInputList(out)).rejects.toThrow(/holds no streets or no blocks/);
});

test('a failed extract stops the fetch, after the concurrent census download completes', async () => {
  mirror.put(`${PATHS.osm}.md5`, `${'0'.repeat(32)}  maryland-latest.osm.pbf\n`);
  await expect(fetchCounty()).rejects.toThrow(/maryland-latest\.osm\.pbf: its MD5 is/);
  expect(readdirSync(path.join(out, 'blocks'))).toEqual(['tl_2024_24_tabblock20.zip']);
  expect(readdirSync(path.join(out, 'osm'))).toEqual([]);
});

test('reports a file that is not PBF or a shapefile by address, and does not keep it', async () => {
  putOsm(mirror, PATHS.osm, Buffer.from('a page of text'));
  await expect(fetchCounty(only('osm'))).rejects.toThrow(/osm\.pbf: the download is not the/);
  mirror.put(PATHS.blocks, readFileSync((await fetchCounty(only('gtfs'))).gtfs[0]));
  await expect(fetchCounty(only('census'))).rejects.toThrow(/tabblock20\.zip: .*without \.shp/);
});

test('of layers of counties, the later one is read where a mirror lacks that of the blocks', async () => {
  const { places } = await fetchCounty(only('census'));
  mirror.put('/geo/tiger/TIGER2024/COUNTY/tl_2024_us_county.zip', readFileSync(places.at(-1)!));
  mirror.remove(PATHS.counties);
  const later = await fetchCounty({ ...only('census'), out: folderPath() });
  expect(path.basename(later.places.at(-1)!)).toBe('tl_2024_us_county.zip');
});

test('reports a county without a state, and one missing from the layer', async () => {
  await expect(fetchCounty({ area: county('99001') })).rejects.toThrow(/99 is not a state/);
  expect(mirror.exchanges).toEqual([]);
  await expect(fetchCounty({ area: county('24999') })).rejects.toThrow(
    /the census of 2020 has no county 24999; check the code/,
  );
});

test('extracts have Geofabrik’s names', () => {
  const names = ['11', '36', '72', '24'].map((state) => osmExtract(services(), state).url);
  expect(names.map((url) => url.slice(mirror.url.length))).toEqual([
    '/north-america/us/district-of-columbia-latest.osm.pbf',
    '/north-america/us/new-york-latest.osm.pbf',
    '/north-america/us/puerto-rico-latest.osm.pbf',
    '/north-america/us/maryland-latest.osm.pbf',
  ]);
});

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readPoiFiles } from '../../builder/destinations/from-files.ts';
import { openGeoTiff } from '../../builder/elevation/geotiff.ts';
import { requireKind } from '../../builder/inputs/file-kind.ts';
import { ZipInput } from '../../builder/inputs/zip.ts';
import { readBlobs } from '../../builder/osm/blob-reader.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();
const pbf = Buffer.concat([
  Buffer.from([0, 0, 0, 14, 10, 9]),
  Buffer.from('OSMHeader'),
  Buffer.from([24, 120]),
]);

async function write(name: string, content: string | Buffer): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}

test.each([
  ['a PBF', pbf, 'an OSM PBF file'],
  ['a zip', 'PK\x03\x04rest', 'a zip archive'],
  ['a gzip', gzipSync('a,b'), 'a gzip file'],
  ['a Parquet file', 'PAR1....', 'a Parquet file'],
  ['a TIFF', 'II*\0....', 'a TIFF'],
  ['GeoJSON', '{ "type": "FeatureCollection" }', 'a JSON file'],
  ['an error page', '<!DOCTYPE html><title>404</title>', 'a web page'],
  ['a GeoPackage', 'SQLite format 3\0....', 'a GeoPackage or another SQLite file'],
  ['OSM XML', '<?xml version="1.0"?><osm/>', 'an XML file'],
])('%s is identified when another kind is expected', async (_, content, kind) => {
  const file = await write('input', content);
  await expect(requireKind(file, 'flatgeobuf')).rejects.toThrow(
    `${file}: is ${kind}, not a FlatGeobuf file`,
  );
});

test('files of the expected kind or an unknown kind, and missing files, are accepted', async () => {
  await requireKind(await write('a.osm.pbf', pbf), 'pbf');
  await requireKind(await write('a.csv', 'id,lat,lon\n1,2,3\n'), 'zip');
  await requireKind(path.join(folder, 'missing'), 'zip');
});

test('each reader refuses a file of another kind', async () => {
  const osm = await write('city.osm.pbf', pbf);
  const zip = await write('feed.zip', 'PK\x03\x04rest');
  await expect(ZipInput.open(osm, [])).rejects.toThrow('is an OSM PBF file, not a zip archive');
  const geoPackage = await write('places.gpkg', 'SQLite format 3\0');
  const area = { minLon: -180, minLat: -90, maxLon: 180, maxLat: 90 };
  await expect(readPoiFiles([geoPackage], area, { note() {} }).next()).rejects.toThrow(
    'is a GeoPackage or another SQLite file, not a JSON file or a Parquet file',
  );
  await expect(openGeoTiff(zip)).rejects.toThrow('is a zip archive, not a TIFF');
  await expect(readBlobs(zip, () => {}).next()).rejects.toThrow(
    'is a zip archive, not an OSM PBF file',
  );
});

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { BandPainter } from '../../builder/tiles/band-tiles.ts';
import { fitToZoom } from '../../builder/tiles/fit-to-zoom.ts';
import { openTileCounty, type TileCounty } from '../../builder/tiles/tile-county.ts';
import { pyramidsOf, tilesAt, within } from '../../builder/tiles/tile-pyramids.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { FORMAT_VERSION } from '../../shards/store/envelope.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { decodeTile } from './archive-source.ts';
import {
  areaOf,
  covers,
  type DrawnRelease,
  openDrawnRelease,
  tilePosition,
} from './drawn-release.ts';

const EXTENT = 4096;

let city: DrawnRelease;
let keys: string[];
/** The archive with the most distinct tiles. */
let busiest: string;
beforeAll(async () => {
  city = await openDrawnRelease(inject('demoStore'));
  const { modes } = city.release.manifest;
  keys = modes.flatMap((mode) => city.release.taxonomy.leafIds.map((type) => `${mode}-${type}`));
  const contents = await Promise.all(
    keys.map(async (key) => (await (await city.archive(key)).getHeader()).numTileContents),
  );
  busiest = keys[contents.indexOf(Math.max(...contents))];
});
afterAll(() => city.close());

test('there is an archive for each mode and leaf type, one of POIs of each, of blocks, of lines, and a base map', () => {
  const pois = city.release.taxonomy.leafIds.map((type) => `pois-${type}`);
  const all = [...keys, ...pois, 'blocks', 'basemap', 'lines'].sort();
  expect(Object.keys(city.release.manifest.tiles).sort()).toEqual(all);
  for (const [key, { archive, sums }] of Object.entries(city.release.manifest.tiles)) {
    expect(archive.name).toBe(`tiles/${key}-${archive.sha256.slice(0, 16)}.pmtiles`);
    expect(sums.name).toBe(archive.name.replace('pmtiles', `${FORMAT_VERSION}.tta`));
  }
});

test('at zoom 14 the centre of every block is in the band of its nearest time, and in no other', async () => {
  const { release } = city;
  const picked = keys.flatMap((key, column) => (column % 20 === 4 ? [{ key, column }] : []));
  let drawn = 0;
  for (const county of Object.values(release.manifest.counties)) {
    const index = await release.index(county);
    for (let block = 0; block < index.count; block++) {
      const times = await release.nearest(county, block);
      const [x, y] = tilePosition(index.lon[block] / 1e6, index.lat[block] / 1e6, 14);
      for (const { key, column } of picked) {
        const features = await city.features(key, 14, Math.floor(x), Math.floor(y));
        const found = features
          .filter((feature) => covers(feature, (x % 1) * EXTENT, (y % 1) * EXTENT))
          .map((feature) => feature.properties.minutes);
        const minutes = times[column] / 10;
        const expected = minutes === 0 ? [] : [Math.ceil(minutes / 5) * 5];
        expect({ key, block, found }).toEqual({ key, block, found: expected });
        drawn += expected.length;
      }
    }
  }
  expect(drawn).toBeGreaterThan(500);
});

test('at every zoom bands have the area of their blocks, to a few pixels along the border', async () => {
  const key = busiest;
  const areaAt = async (z: number): Promise<Map<number, number>> => {
    const areas = new Map<number, number>();
    for (const { x, y } of city.addresses(z)) {
      for (const feature of await city.features(key, z, x, y)) {
        const minutes = Number(feature.properties.minutes);
        // The buffer is drawn in both tiles; it is small compared with the tolerance below zoom 12.
        areas.set(minutes, (areas.get(minutes) ?? 0) + areaOf(feature) * 4 ** (14 - z));
      }
    }
    return areas;
  };
  const fine = await areaAt(12);
  expect(fine.size).toBeGreaterThan(2);
  const whole = [...fine.values()].reduce((sum, area) => sum + area);
  for (const z of [8, 9, 10, 11]) {
    const coarse = await areaAt(z);
    for (const [minutes, area] of fine) {
      const off = Math.abs((coarse.get(minutes) ?? 0) - area) / whole;
      expect({ z, minutes, close: off < 0.05 }).toEqual({ z, minutes, close: true });
    }
  }
});

test('bands have neither gaps nor overlaps: their total area is exactly that of their union', async () => {
  const { release } = city;
  const counties = new Map<string, TileCounty>();
  for (const [fips, county] of Object.entries(release.manifest.counties)) {
    counties.set(fips, await openTileCounty(release.store, county.objects, release.columns));
  }
  const painter = new BandPainter();
  let tiles = 0;
  for (const pyramid of pyramidsOf(release.manifest.counties)) {
    const near = pyramid.counties.map((fips) => within(pyramid, counties.get(fips)!));
    for (let z = pyramid.tile.z; z <= pyramid.lastZoom; z++) {
      const fitted = near.map((county) => fitToZoom(county.arcs, z));
      for (let column = 3; column < release.columns; column += 20) {
        const areas = (of: (band: number) => number) => {
          const maps = near.map(({ index, bands }, i) => ({
            arcs: fitted[i],
            bands: bands.slice(column * index.count, (column + 1) * index.count).map(of),
          }));
          return painter
            .draw(maps, tilesAt(pyramid, z))
            .map(({ x, y, bytes }) => {
              const area = decodeTile(bytes).reduce((sum, feature) => sum + areaOf(feature), 0);
              return `${z}/${x}/${y}: ${area}`;
            })
            .sort();
        };
        const inBands = areas((band) => band);
        expect(inBands).toEqual(areas((band) => (band === 0 ? 0 : 1)));
        tiles += inBands.length;
      }
    }
  }
  expect(tiles).toBeGreaterThan(50);
});

test('outer rings wind one way and holes the other, each hole after its outer ring', async () => {
  for (const { x, y } of city.addresses(13)) {
    for (const feature of await city.features(busiest, 13, x, y)) {
      const geometry = feature.toGeoJSON(x, y, 13).geometry;
      // The library makes a polygon of each ring that winds like an outer ring.
      expect(['Polygon', 'MultiPolygon']).toContain(geometry.type);
      expect(areaOf(feature)).toBeGreaterThan(0);
    }
  }
});

test('no tile exceeds 300 kB, the mean is under 30 kB, and none is empty', async () => {
  for (const key of [...keys, 'blocks']) {
    const archive = await city.archive(key);
    const header = await archive.getHeader();
    let bytes = 0;
    let tiles = 0;
    for (let z = header.minZoom; z <= header.maxZoom; z++) {
      for (const { x, y } of city.addresses(z)) {
        const tile = await archive.getZxy(z, x, y);
        if (!tile) continue;
        tiles++;
        bytes += tile.data.byteLength;
        expect(tile.data.byteLength).toBeLessThan(300_000);
        expect(decodeTile(tile.data).length).toBeGreaterThan(0);
      }
    }
    expect(tiles).toBe(header.numAddressedTiles);
    if (tiles > 0) expect(bytes / tiles).toBeLessThan(30_000);
  }
});

test('every block with land is in the block tiles at zoom 14, with its population', async () => {
  const seen = new Map<string, unknown>();
  const ids = new Map<string, number | undefined>();
  for (const { x, y } of city.addresses(14)) {
    for (const { properties, id } of await city.features('blocks', 14, x, y)) {
      seen.set(String(properties.geoid), properties.population ?? null);
      ids.set(String(properties.geoid), id);
    }
  }
  let blocks = 0;
  for (const county of Object.values(city.release.manifest.counties)) {
    const index = await city.release.index(county);
    for (let block = 0; block < index.count; block++) {
      const geoid = geoidFromNumber(index.geoids[block]);
      // Water is uninhabited and of no interest on this map.
      if (index.landArea(block) === 0) continue;
      expect([geoid, seen.get(geoid)]).toEqual([geoid, index.population(block)]);
      expect(ids.get(geoid)).toBe(index.geoids[block]);
      blocks++;
    }
  }
  expect(seen.size).toBe(blocks);
});

test('GDAL reads tiles like the vector tile library', async () => {
  await ensureDebianPackage('gdal-bin', 'ogrinfo');
  const folder = await folderOfThisTest();
  let read = 0;
  for (const [key, z] of [
    [busiest, 10],
    [busiest, 12],
    ['blocks', 13],
  ] as const) {
    for (const { x, y } of city.addresses(z)) {
      const tile = await (await city.archive(key)).getZxy(z, x, y);
      if (!tile) continue;
      const file = path.join(folder, `${key}-${z}-${x}-${y}.mvt`);
      await writeFile(file, new Uint8Array(tile.data));
      const layer = key === 'blocks' ? 'blocks' : 'bands';
      const field = key === 'blocks' ? 'population' : 'minutes';
      const sql = `SELECT COUNT(*) AS n, SUM(${field}) AS total, SUM(ST_Area(geometry)) AS area FROM ${layer}`;
      const args = ['-q', '-oo', 'CLIP=NO', '-dialect', 'sqlite', '-sql', sql, file];
      const { stdout } = await promisify(execFile)('ogrinfo', args);
      const theirs = ['n', 'total', 'area'].map((name) =>
        Number(new RegExp(`${name} \\(\\w+\\) = ([\\d.e+-]+)`).exec(stdout)?.[1]),
      );
      const features = await city.features(key, z, x, y);
      const total = features.reduce((sum, f) => sum + Number(f.properties[field] ?? 0), 0);
      const area = features.reduce((sum, feature) => sum + areaOf(feature), 0);
      expect(theirs.slice(0, 2)).toEqual([features.length, total]);
      expect(Math.abs(theirs[2] - area) / area).toBeLessThan(1e-6);
      read++;
    }
  }
  expect(read).toBeGreaterThan(3);
});

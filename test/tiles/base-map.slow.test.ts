import { execFile, execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import type { PMTiles } from 'pmtiles';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { drawTiles } from '../../builder/tiles/draw-tiles.ts';
import { PlaceTable } from '../../shards/places/place-table.ts';
import type { TileArchive } from '../../shards/release/manifest.ts';
import { degreesToBorder, isInside, type Rings } from '../conformance/plain-geometry.ts';
import { readWithOsmium } from '../osm/opl.ts';
import { BALTIMORE_OSM } from '../support/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { drawRelease } from '../support/draw-release.ts';
import { type BaltimoreToDraw, baltimoreToDraw } from '../support/drawn-baltimore.ts';
import { folderOfTests, folderOfThisTest } from '../support/temporary-folder.ts';
import { libraryArchive } from './archive-source.ts';
import { BASE_MAP_SCHEMA } from './base-map-schema.ts';
import { covers, type DrawnRelease, openDrawnRelease, tilePosition } from './drawn-release.ts';

const EXTENT = 4096;
const LAST_ZOOM = 14;

const folder = folderOfTests();
let baltimore: BaltimoreToDraw;
let drawn: TileArchive;
let map: PMTiles;
let city: DrawnRelease;
beforeAll(async () => {
  await ensureDebianPackage('osmium-tool', 'osmium');
  await ensureDebianPackage('gdal-bin', 'ogrinfo');
  baltimore = await baltimoreToDraw(folder);
  drawn = (await drawRelease(baltimore.request, baltimore.store, { scratch: folder })).basemap;
  const { name } = drawn.archive;
  map = libraryArchive(await readFile(path.join(folder, 'store', name)));
  city = await openDrawnRelease(inject('demoStore'));
});
afterAll(() => Promise.all([baltimore?.store.close(), city?.close()]));

type Layers = Readonly<Record<string, readonly VectorTileFeature[]>>;

/** Tiles of the two maps that have been read. */
const tiles = new Map<string, Promise<Layers>>();

function layersAt(archive: PMTiles, z: number, x: number, y: number): Promise<Layers> {
  const key = `${archive === map} ${z}/${x}/${y}`;
  const layers = tiles.get(key) ?? readLayers(archive, z, x, y);
  tiles.set(key, layers);
  return layers;
}

async function readLayers(archive: PMTiles, z: number, x: number, y: number): Promise<Layers> {
  const tile = await archive.getZxy(z, x, y);
  if (!tile) return {};
  const { layers } = new VectorTile(new PbfReader(tile.data));
  return Object.fromEntries(
    Object.entries(layers).map(([name, layer]) => [
      name,
      Array.from({ length: layer.length }, (_, i) => layer.feature(i)),
    ]),
  );
}

/** The tiles of a zoom within an archive's bounds. */
async function tilesOf(archive: PMTiles, z: number): Promise<[x: number, y: number][]> {
  const { minLon, minLat, maxLon, maxLat } = await archive.getHeader();
  const [west, north] = tilePosition(minLon, maxLat, z).map(Math.floor);
  const [east, south] = tilePosition(maxLon, minLat, z).map(Math.floor);
  const tiles: [number, number][] = [];
  for (let x = west; x <= east; x++) for (let y = north; y <= south; y++) tiles.push([x, y]);
  return tiles;
}

test('every feature of every tile conforms to the documented schema', async () => {
  const kinds = ['Unknown', 'Point', 'LineString', 'Polygon'];
  const isOf = (value: unknown, values: readonly unknown[] | 'string' | 'integer') =>
    typeof values !== 'string'
      ? values.includes(value)
      : values === 'string'
        ? typeof value === 'string' && value !== ''
        : Number.isInteger(value);
  const seen = new Set<string>();
  for (const archive of [map, await city.archive('basemap')]) {
    for (let z = 6; z <= LAST_ZOOM; z++) {
      for (const [x, y] of await tilesOf(archive, z)) {
        for (const [layer, features] of Object.entries(await layersAt(archive, z, x, y))) {
          const { geometries, required, properties: known } = BASE_MAP_SCHEMA[layer];
          for (const { type, properties } of features) {
            const wrong = Object.entries(properties).filter(
              ([key, value]) => !Object.hasOwn(known, key) || !isOf(value, known[key]),
            );
            const missing = required.filter((key) => !Object.hasOwn(properties, key));
            expect({ layer, wrong, missing }).toEqual({ layer, wrong: [], missing: [] });
            expect(geometries).toContain(kinds[type]);
            seen.add(`${layer} ${properties.kind}`);
          }
        }
      }
    }
  }
  for (const layer of Object.keys(BASE_MAP_SCHEMA)) {
    expect([...seen].filter((one) => one.startsWith(`${layer} `))).not.toEqual([]);
  }
});

test('every street that osmium reads is drawn through all its nodes, by its class and its name', async () => {
  const elements = readWithOsmium(BALTIMORE_OSM);
  const nodes = new Map(elements.filter(({ type }) => type === 'node').map((n) => [n.id, n]));
  const classes = ['motorway', 'primary', 'secondary', 'tertiary', 'residential', 'cycleway'];
  const streets = elements.filter(
    ({ type, tags }) =>
      type === 'way' && classes.includes(tags.get('highway') ?? '') && !tags.has('area'),
  );
  expect(streets.length).toBeGreaterThan(1_000);
  const missing: string[] = [];
  for (const { id, tags, refs } of streets) {
    for (const ref of refs!) {
      const { lon, lat } = nodes.get(ref)!;
      const [x, y] = tilePosition(Number(lon), Number(lat), LAST_ZOOM);
      const layers = await layersAt(map, LAST_ZOOM, Math.floor(x), Math.floor(y));
      const isDrawn = (layers.roads ?? []).some(
        (road) =>
          road.properties.kind_detail === tags.get('highway') &&
          road.properties.name === tags.get('name') &&
          distanceTo(road, (x % 1) * EXTENT, (y % 1) * EXTENT) < 3,
      );
      if (!isDrawn) missing.push(`way ${id} at node ${ref}`);
    }
  }
  expect(missing).toEqual([]);
});

/** Steps from a point in eight directions, by 4 and by 10 metres or so. */
const AROUND = [4e-5, 1e-4].flatMap((step) =>
  [-1, 0, 1].flatMap((x) => [-1, 0, 1].map((y) => [x * step, y * step])),
);

test('parks and water cover the same ground as those that osmium assembles', async () => {
  const text = execFileSync(
    'osmium',
    ['export', BALTIMORE_OSM, '-f', 'geojson', '--geometry-types=polygon'],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  const { features } = JSON.parse(text) as {
    features: {
      properties: Record<string, string>;
      geometry: { coordinates: readonly Rings[] };
    }[];
  };
  const wanted = [
    {
      layer: 'landuse',
      kind: 'park',
      is: (tags: Record<string, string>) => tags.leisure === 'park',
    },
    {
      layer: 'water',
      kind: 'water',
      is: (tags: Record<string, string>) => tags.natural === 'water',
    },
  ];
  for (const { layer, kind, is } of wanted) {
    const areas = features.filter(({ properties }) => is(properties));
    expect(areas.length).toBeGreaterThan(2);
    const polygons = areas.flatMap(({ geometry }) => geometry.coordinates);
    let inside = 0;
    for (const [[lon, lat]] of polygons.flat(1).map((ring) => ring)) {
      // Probes points around each outline, a few metres to either side.
      for (const [dLon, dLat] of AROUND) {
        const [atLon, atLat] = [lon + dLon, lat + dLat];
        if (degreesToBorder(polygons, atLon, atLat) < 2e-5) continue;
        const [x, y] = tilePosition(atLon, atLat, LAST_ZOOM);
        const layers = await layersAt(map, LAST_ZOOM, Math.floor(x), Math.floor(y));
        const isCovered = (layers[layer] ?? []).some(
          (feature) =>
            feature.type === 3 &&
            feature.properties.kind === kind &&
            covers(feature, (x % 1) * EXTENT, (y % 1) * EXTENT),
        );
        const expected = polygons.some((polygon) => isInside([polygon], atLon, atLat));
        // Water may also be drawn from a census block of water.
        if (expected || kind === 'park') {
          expect({ kind, atLon, atLat, isCovered }).toEqual({
            kind,
            atLon,
            atLat,
            isCovered: expected,
          });
        }
        if (expected) inside++;
      }
    }
    expect(inside).toBeGreaterThan(10);
  }
});

test('blocks with land are earth, and blocks without are water', async () => {
  const { index } = baltimore;
  let wet = 0;
  for (let block = 0; block < index.count; block += 7) {
    const [x, y] = tilePosition(index.lon[block] / 1e6, index.lat[block] / 1e6, LAST_ZOOM);
    const layers = await layersAt(map, LAST_ZOOM, Math.floor(x), Math.floor(y));
    const isIn = (layer: string) =>
      (layers[layer] ?? []).some(
        (feature) => feature.type === 3 && covers(feature, (x % 1) * EXTENT, (y % 1) * EXTENT),
      );
    const isWet = index.landArea(block) === 0;
    expect({ block, earth: isIn('earth') }).toEqual({ block, earth: !isWet });
    if (isWet) expect({ block, water: isIn('water') }).toEqual({ block, water: true });
    if (isWet) wet++;
  }
  expect(wet).toBeGreaterThan(5);
});

test('census places are labels at their internal point, with their population', async () => {
  const { manifest, store } = city.release;
  let labels = 0;
  for (const { objects } of Object.values(manifest.states)) {
    for (const { name, lon, lat, population } of (await PlaceTable.open(store, objects.places))
      .places) {
      const [x, y] = tilePosition(lon, lat, LAST_ZOOM);
      const { places } = await layersAt(
        await city.archive('basemap'),
        LAST_ZOOM,
        Math.floor(x),
        Math.floor(y),
      );
      const label = places.find(({ properties }) => properties.name === name)!;
      const [[at]] = label.loadGeometry();
      expect(Math.hypot(at.x - (x % 1) * EXTENT, at.y - (y % 1) * EXTENT)).toBeLessThan(1.5);
      expect(label.properties.population).toBe(population);
      labels++;
    }
  }
  expect(labels).toBeGreaterThan(1);
});

test('the line between two counties is drawn once', async () => {
  const archive = await city.archive('basemap');
  const [x, y] = tilePosition(-70, 36, 8).map(Math.floor);
  const { boundaries } = await layersAt(archive, 8, x, y);
  expect(boundaries.map(({ properties }) => properties.kind)).toEqual(['county']);
});

test('GDAL reads every layer of a tile like the vector tile library', async () => {
  const scratch = await folderOfThisTest();
  const [x, y] = tilePosition(-76.58, 39.285, 13).map(Math.floor);
  const tile = await map.getZxy(13, x, y);
  const file = path.join(scratch, `13-${x}-${y}.mvt`);
  await writeFile(file, new Uint8Array(tile!.data));
  const { stdout } = await promisify(execFile)('ogrinfo', ['-so', '-al', file]);
  const theirs = [...stdout.matchAll(/Layer name: (\w+)[\s\S]*?Feature Count: (\d+)/g)].map(
    ([, layer, count]) => [layer, Number(count)],
  );
  const layers = await layersAt(map, 13, x, y);
  const ours = Object.entries(layers).map(([layer, features]) => [layer, features.length]);
  expect(ours.length).toBeGreaterThan(3);
  expect(theirs).toEqual(ours);
});

test('the archive of a city is small, and its metadata describes it', async () => {
  const { type, vector_layers: layers } = (await map.getMetadata()) as {
    type: string;
    vector_layers: { id: string }[];
  };
  expect(type).toBe('baselayer');
  expect(layers.map(({ id }) => id)).toEqual(Object.keys(BASE_MAP_SCHEMA));
  expect(drawn.archive.bytes).toBeLessThan(8e6);
});

test('three threads draw the same bytes as one', async () => {
  const compiled = await import(path.resolve('dist/builder/tiles/draw-tiles.js'));
  const { request, store } = baltimore;
  const draw: typeof drawTiles = compiled.drawTiles;
  // Otherwise what was drawn before would be found.
  await rm(path.join(folder, 'store/receipts'), { recursive: true });
  const again = await drawRelease(request, store, { scratch: folder, threads: 3, draw });
  expect(again.basemap).toEqual(drawn);
});

/** Distance from a point of the tile to a line, in units of the tile. */
function distanceTo(line: VectorTileFeature, x: number, y: number): number {
  const rings = line.loadGeometry().map((part) => part.map((point) => [point.x, point.y]));
  return degreesToBorder([rings], x, y);
}

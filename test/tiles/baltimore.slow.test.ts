import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { BandPainter } from '../../builder/tiles/band-tiles.ts';
import { arcsOf } from '../../builder/tiles/block-arcs.ts';
import { fitToZoom } from '../../builder/tiles/fit-to-zoom.ts';
import type { TileCounty } from '../../builder/tiles/tile-county.ts';
import { pyramidsOf, tilesAt, within } from '../../builder/tiles/tile-pyramids.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { type Outlines, readOutlines } from '../../shards/fgb/outlines.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { dissolve } from '../../shards/geometry/dissolve.ts';
import { EdgeSet } from '../../shards/geometry/edge-set.ts';
import { polygonsOfAll } from '../../shards/geometry/geo-json.ts';
import { splitAtPoints } from '../../shards/geometry/split-edges.ts';
import { BALTIMORE_BLOCKS } from '../support/baltimore.ts';
import { withBlocks } from '../support/prepared-city.ts';
import { decodeTile } from './archive-source.ts';
import { areaOf } from './drawn-release.ts';
import { judge } from './validity.ts';

let outlines: Outlines;
let index: BlockIndex;
beforeAll(async () => {
  const blocks = await withBlocks([BALTIMORE_BLOCKS], (tables) => tables.blocks('24510'));
  const layer = writeFlatGeobuf(
    'blocks',
    [{ name: 'geoid', type: 'string' }],
    blocks.map(({ area, geoid }) => ({
      geometry: area,
      properties: { geoid: geoidFromNumber(geoid) },
    })),
  );
  outlines = readOutlines('blocks/24510.fgb', layer);
  const records = blocks.map(({ geoid, population, landArea, lon, lat }) => ({
    geoid,
    population,
    landArea,
    lon: Math.round(lon * 1e6),
    lat: Math.round(lat * 1e6),
    links: [0, 1].map(() => ({ status: 'linked' as const, snap: 0 })),
  }));
  index = BlockIndex.decode('index', BlockIndex.encode(records));
});

/** The blocks with their centre within the given micro-degrees of a block's. */
function around(block: number, radius: number): Uint32Array {
  return Uint32Array.from(index.geoids.keys()).filter(
    (other) =>
      Math.hypot(index.lon[other] - index.lon[block], index.lat[other] - index.lat[block]) <=
      radius,
  );
}

test('neighbouring blocks share their corners: their union is one ring', () => {
  const areas = Uint32Array.from(outlines.geoids.keys());
  const union = dissolve([{ outlines, areas }], 0);
  expect([...union.firstRing]).toEqual([0, 1]);
  const edges = new EdgeSet(outlines.x.length);
  for (let r = 0; r + 1 < outlines.firstPoint.length; r++) {
    let previous = outlines.firstPoint[r + 1] - 1;
    for (let i = outlines.firstPoint[r]; i < outlines.firstPoint[r + 1]; previous = i++) {
      edges.push(outlines.x[previous], outlines.y[previous], outlines.x[i], outlines.y[i]);
    }
  }
  edges.cancelOpposites();
  expect(edges.length).toBe(union.x.length);
  expect(splitAtPoints(edges)).toBe(edges);
});

test('GEOS finds unions of real blocks valid: round ones, and those full of holes', async () => {
  const seed = 24_510;
  const picks = fc.sample(fc.tuple(fc.nat(index.count - 1), fc.nat(40_000), fc.nat(100)), {
    numRuns: 60,
    seed,
  });
  const unions = picks.map(([block, radius, share], i) => {
    const areas = around(block, radius).filter(
      (other) => other === block || i % 2 === 0 || (other * 7919) % 101 < share,
    );
    return polygonsOfAll(dissolve([{ outlines, areas }], i % 3 === 0 ? 5000 : 0));
  });
  for (const [i, { valid }] of (await judge(unions)).entries()) {
    expect({ pick: picks[i], valid }).toEqual({ pick: picks[i], valid: true });
  }
});

/** Bands as rings around a few blocks: every block is in one, with ragged edges like real ones. */
function ringBands(centres: readonly number[]): Uint8Array {
  return Uint8Array.from(index.geoids.keys(), (block) => {
    const away = centres.map((centre) =>
      Math.hypot(index.lon[block] - index.lon[centre], index.lat[block] - index.lat[centre]),
    );
    return Math.min(6, 1 + Math.floor(Math.min(...away) / 4000 + ((block * 7919) % 10) / 15));
  });
}

test('a tile is the same whatever pyramid it is drawn in, at every zoom', () => {
  const county: TileCounty = {
    index,
    arcs: arcsOf(outlines),
    bands: ringBands([500, 2500, 4500, 6500, 8500]),
  };
  const [lon, lat] = [index.lon, index.lat].map((values) => [...values].map((v) => v / 1e6));
  const box: [number, number, number, number] = [
    Math.min(...lon) - 0.01,
    Math.min(...lat) - 0.01,
    Math.max(...lon) + 0.01,
    Math.max(...lat) + 0.01,
  ];
  const painter = new BandPainter();
  const areasOf = (bytes: Uint8Array) =>
    decodeTile(bytes).map((feature) => [feature.properties.minutes, areaOf(feature)]);
  const pyramids = pyramidsOf({ '24510': { block_box: box } });
  expect(pyramids.length).toBeGreaterThan(2);
  let tiles = 0;
  for (const pyramid of pyramids) {
    const near = within(pyramid, county);
    for (let z = pyramid.tile.z; z <= pyramid.lastZoom; z++) {
      const range = tilesAt(pyramid, z);
      const alone = painter.draw([{ arcs: fitToZoom(near.arcs, z), bands: near.bands }], range);
      const whole = painter.draw([{ arcs: fitToZoom(county.arcs, z), bands: county.bands }], range);
      const byPlace = (drawn: typeof alone) =>
        new Map(drawn.map(({ x, y, bytes }) => [`${z}/${x}/${y}`, areasOf(bytes)]));
      expect(byPlace(alone)).toEqual(byPlace(whole));
      for (const { bytes } of alone) expect(bytes.length).toBeLessThan(300_000);
      tiles += alone.length;
    }
  }
  expect(tiles).toBeGreaterThan(100);
});

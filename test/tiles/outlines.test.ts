import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { Feature, MultiPolygon } from 'geojson';
import { beforeAll, expect, inject, test } from 'vitest';
import { ShardError } from '../../shards/errors.ts';
import type { FgbFeature } from '../../shards/fgb/layer.ts';
import { readOutlines } from '../../shards/fgb/outlines.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { polygonsOfAll } from '../../shards/geometry/geo-json.ts';
import type { Ring } from '../../shards/geometry/polygon.ts';
import { positions, squareRing as square } from '../support/rings.ts';
import { type CountyOutlines, outlinesOf } from './block-outlines.ts';

let counties: CountyOutlines[];
beforeAll(async () => {
  counties = await outlinesOf(inject('demoStore'));
});

const microDegrees = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
const COLUMNS = [{ name: 'geoid', type: 'string' as const }];
const block = (geoid: string, ...polygons: Ring[][]): FgbFeature => ({
  geometry: { polygons },
  properties: { geoid },
});

test('outlines match those that the FlatGeobuf library reads, ascending by GEOID', async () => {
  for (const { bytes, outlines } of counties) {
    const theirs = new Map<string, number[][]>();
    for await (const feature of deserialize(bytes) as AsyncIterable<Feature<MultiPolygon>>) {
      const points = feature.geometry.coordinates.flatMap((rings) =>
        rings.flatMap((ring) => ring.slice(1).map((point) => point.map(microDegrees))),
      );
      theirs.set(feature.properties!.geoid, points.sort());
    }
    expect([...outlines.geoids]).toEqual([...theirs.keys()].map(Number).sort((a, b) => a - b));
    outlines.geoids.forEach((geoid, area) => {
      const firstRing = outlines.firstRing.slice(area, area + 2);
      const ours = polygonsOfAll({ ...outlines, firstRing }).flatMap((rings) =>
        rings.flatMap((ring) => ring.slice(1)),
      );
      expect(ours.sort()).toEqual(theirs.get(geoidFromNumber(geoid)));
    });
  }
});

test('shells are made counter-clockwise and holes clockwise', () => {
  const hole = square(0.2, 0.2, 0.1);
  const layer = writeFlatGeobuf('blocks', COLUMNS, [
    block('240010001001001', [square(0, 0, 1), hole], [[...square(5, 5, 1)].reverse()]),
    block('240010001001000', [[...square(2, 2, 1)].reverse(), [...hole].reverse()]),
  ]);
  const outlines = readOutlines('blocks/x.fgb', layer);
  expect([...outlines.geoids]).toEqual([240010001001000, 240010001001001]);
  expect([...outlines.firstRing]).toEqual([0, 2, 5]);
  const turns = Array.from({ length: 5 }, (_, r) => {
    const p = outlines.firstPoint[r];
    const [dx1, dy1] = [outlines.x[p + 1] - outlines.x[p], outlines.y[p + 1] - outlines.y[p]];
    const [dx2, dy2] = [
      outlines.x[p + 2] - outlines.x[p + 1],
      outlines.y[p + 2] - outlines.y[p + 1],
    ];
    return Math.sign(dx1 * dy2 - dy1 * dx2);
  });
  expect(turns).toEqual([1, -1, 1, -1, 1]);
});

test('coinciding points and rings without an area are removed', () => {
  const doubled: Ring = positions('0 0, 1 0, 1 0.0000001, 1 1, 0 1, 0 0');
  const flat: Ring = positions('2 2, 3 2, 2 2.0000001, 2 2');
  const layer = writeFlatGeobuf('blocks', COLUMNS, [block('240010001001000', [doubled], [flat])]);
  const { firstRing, firstPoint } = readOutlines('blocks/x.fgb', layer);
  expect([[...firstRing], [...firstPoint]]).toEqual([
    [0, 1],
    [0, 4],
  ]);
});

test('a layer without blocks is read, and one with a single block', () => {
  expect(readOutlines('blocks/x.fgb', writeFlatGeobuf('blocks', COLUMNS, [])).geoids).toHaveLength(
    0,
  );
  const one = [block('240010001001000', [square(0, 0, 1)])];
  expect(readOutlines('blocks/x.fgb', writeFlatGeobuf('blocks', COLUMNS, one)).geoids).toHaveLength(
    1,
  );
});

test('an object truncated anywhere, or of another kind, is an error that names it', () => {
  const { bytes } = counties[0];
  for (const length of [0, 3, 11, 200, 5000, bytes.length >> 1, bytes.length - 1]) {
    expect(() => readOutlines('blocks/cut.fgb', bytes.subarray(0, length))).toThrow(ShardError);
    expect(() => readOutlines('blocks/cut.fgb', bytes.subarray(0, length))).toThrow(
      'blocks/cut.fgb',
    );
  }
  expect(() => readOutlines('x', new TextEncoder().encode('{"type": "Feature"}'))).toThrow(
    ShardError,
  );
  const nameless = writeFlatGeobuf('blocks', COLUMNS, [block('24001', [square(0, 0, 1)])]);
  expect(() => readOutlines('x', nameless)).toThrow('GEOID');
});

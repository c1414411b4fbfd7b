import { aroundAll, type Bounds } from '../geometry/bounds.ts';
import { hilbertOrder } from '../geometry/hilbert.ts';
import type { Area } from '../geometry/polygon.ts';
import { NODE_BYTES } from './flat-geobuf-view.ts';
import {
  encodeHeader,
  FeatureEncoder,
  type FgbColumn,
  type FgbFeature,
  type FgbLayer,
  type LonLat,
} from './layer.ts';

const NODE_SIZE = 16;

/**
 * Writes a layer of areas or points as FlatGeobuf 3 with its packed Hilbert R-tree, so that readers
 * can fetch by box. The library's own writer creates no index. The tree follows the specification:
 * levels from the root down, each node a box and the offset of its first child or its feature.
 */
export function writeFlatGeobuf(
  name: string,
  columns: readonly FgbColumn[],
  features: readonly FgbFeature[],
): Uint8Array {
  const boxes = features.map((feature) => boxOf(feature.geometry));
  const order = hilbertOrder(
    Float64Array.from(boxes, (box) => (box[0] + box[2]) / 2),
    Float64Array.from(boxes, (box) => (box[1] + box[3]) / 2),
  );
  const isEmpty = features.length === 0;
  const layer: FgbLayer = {
    name,
    isOfPoints: !isEmpty && 'lon' in features[0].geometry,
    columns,
    count: features.length,
    envelope: isEmpty ? [] : aroundAll(boxes),
    nodeSize: isEmpty ? 0 : NODE_SIZE,
  };
  const encoder = new FeatureEncoder(layer);
  const encoded = Array.from(order, (i) => encoder.encode(features[i]));
  const tree = packTree(
    Array.from(order, (i) => boxes[i]),
    encoded.map((bytes) => bytes.length),
  );
  return Buffer.concat([encodeHeader(layer), tree, ...encoded]);
}

function boxOf(geometry: Area | LonLat): Bounds {
  if ('lon' in geometry) return [geometry.lon, geometry.lat, geometry.lon, geometry.lat];
  return aroundAll(
    geometry.polygons.flatMap((rings) => rings[0].map(([x, y]): Bounds => [x, y, x, y])),
  );
}

/** Packs boxes, already in curve order, into levels of `NODE_SIZE` children; leaves come last. */
function packTree(boxes: readonly Bounds[], lengths: readonly number[]): Uint8Array {
  if (boxes.length === 0) return new Uint8Array(0);
  let offset = 0;
  const leaves = boxes.map((box, i) => {
    const node = { box, offset };
    offset += lengths[i];
    return node;
  });
  const levels: { box: Bounds; offset: number }[][] = [leaves];
  do {
    const below = levels[0];
    const level: { box: Bounds; offset: number }[] = [];
    for (let i = 0; i < below.length; i += NODE_SIZE) {
      const children = below.slice(i, i + NODE_SIZE);
      level.push({ box: aroundAll(children.map((child) => child.box)), offset: i });
    }
    levels.unshift(level);
  } while (levels[0].length > 1);
  const out = Buffer.alloc(levels.reduce((sum, level) => sum + level.length, 0) * NODE_BYTES);
  let at = 0;
  let levelStart = 0;
  for (const level of levels) {
    const childrenStart = levelStart + level.length;
    const isLeaf = level === leaves;
    for (const node of level) {
      node.box.forEach((value, i) => {
        out.writeDoubleLE(value, at + i * 8);
      });
      const points = isLeaf ? node.offset : childrenStart + node.offset;
      out.writeBigUInt64LE(BigInt(points), at + 32);
      at += NODE_BYTES;
    }
    levelStart = childrenStart;
  }
  return out;
}

import { VarintReader, VarintWriter } from '../../shards/codec/varint.ts';
import { writeEnvelope } from '../../shards/store/envelope.ts';
import { openTable } from '../inputs/number-table.ts';
import type { MapKind } from './map-kind.ts';
import { MapKinds, type MapShapes, type ShapeType } from './map-shapes.ts';

const KIND = 'MAPC';

export class BaseMapCellWriter {
  readonly #kinds = new MapKinds();
  readonly #features = new VarintWriter(1 << 12);

  add(shapes: MapShapes, feature: number): void {
    const out = this.#features;
    const [firstPart, firstPoint] = [shapes.firstPart.view(), shapes.firstPoint.view()];
    const [x, y] = [shapes.x.view(), shapes.y.view()];
    const [start, end] = [firstPart[feature], firstPart[feature + 1]];
    out.uint(shapes.keys.view()[feature]);
    out.uint(this.#kinds.numberOf(shapes.kinds.all[shapes.kind.view()[feature]]));
    out.uint(shapes.type.view()[feature]);
    out.uint(shapes.minZoom.view()[feature]);
    out.uint(end - start);
    let [atX, atY] = [0, 0];
    for (let part = start; part < end; part++) {
      out.uint(firstPoint[part + 1] - firstPoint[part]);
      for (let i = firstPoint[part]; i < firstPoint[part + 1]; i++) {
        out.int(x[i] - atX);
        out.int(y[i] - atY);
        [atX, atY] = [x[i], y[i]];
      }
    }
  }

  encode(): Uint8Array {
    return writeEnvelope(KIND, [
      { tag: 'KIND', bytes: Buffer.from(JSON.stringify(this.#kinds.all)) },
      { tag: 'FEAT', bytes: this.#features.view() },
    ]);
  }
}

/**
 * Reads cells, and each feature once. If a feature has fewer points in one cell than in another,
 * because a batch of cells did not read the file that has those nodes, the version with the most
 * points is kept.
 */
export class BaseMapCellReader {
  readonly #shapes: MapShapes;
  /** The most complete version of each feature by key: its number of points, and its index. */
  readonly #best = new Map<number, { points: number; feature: number }>();

  constructor(shapes: MapShapes) {
    this.#shapes = shapes;
  }

  /** Returns the indices of the most complete version of each feature, ascending by key. */
  features(): Uint32Array {
    const keys = this.#shapes.keys.view();
    const features = Uint32Array.from(this.#best.values(), ({ feature }) => feature);
    return features.sort((a, b) => keys[a] - keys[b]);
  }

  /** Adds a cell, decoded from the object of this name. */
  add(object: string, bytes: Uint8Array): void {
    const shapes = this.#shapes;
    const { section } = openTable(object, bytes, KIND);
    const kinds = JSON.parse(Buffer.from(section('KIND')).toString()) as MapKind[];
    const numbers = kinds.map((kind) => shapes.kinds.numberOf(kind));
    const input = new VarintReader(section('FEAT'));
    while (!input.done) {
      const key = input.uint();
      const kind = numbers[input.uint()];
      const type = input.uint() as ShapeType;
      const minZoom = input.uint();
      const before = shapes.x.length;
      let [x, y] = [0, 0];
      for (let parts = input.uint(); parts > 0; parts--) {
        for (let points = input.uint(); points > 0; points--) {
          x += input.int();
          y += input.int();
          shapes.point(x, y);
        }
        shapes.endPart();
      }
      const points = shapes.x.length - before;
      const known = this.#best.get(key);
      if (known === undefined || known.points < points) {
        this.#best.set(key, { points, feature: shapes.count });
      }
      shapes.endFeature(key, kind, type, minZoom);
    }
  }
}

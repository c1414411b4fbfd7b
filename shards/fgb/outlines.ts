import { rankIn } from '../arrays/sorted.ts';
import { runToCompletion } from '../concurrency/run-to-completion.ts';
import { decodingError } from '../errors.ts';
import { type Rings, twiceSignedArea } from '../geometry/rings.ts';
import { MICRO } from '../units.ts';
import { FlatGeobufView } from './flat-geobuf-view.ts';

/** The block polygons of a county: area `i` is the block `geoids[i]`, ascending. */
export interface Outlines extends Rings {
  readonly geoids: Float64Array;
}

/** Blocks per step of `outlineSteps`: well under 5 ms of work. */
const BLOCKS_PER_STEP = 1000;

/**
 * Reads a county's whole `blocks` object, using no more memory than the arrays it returns. Throws a
 * `ShardError` for anything but a FlatGeobuf of blocks.
 */
export function readOutlines(object: string, bytes: Uint8Array): Outlines {
  return runToCompletion(outlineSteps(object, bytes));
}

/** `readOutlines` in steps of a few milliseconds, for callers with other work to do. */
export function* outlineSteps(
  object: string,
  bytes: Uint8Array,
): Generator<undefined, Outlines, undefined> {
  try {
    return yield* readSteps(new FlatGeobufView(bytes));
  } catch (error) {
    // DataView throws a RangeError past its end.
    throw decodingError(object, 'features', error);
  }
}

function* readSteps(layer: FlatGeobufView): Generator<undefined, Outlines, undefined> {
  const count = layer.featureCount;
  const geoids = new Float64Array(count);
  const features = new Float64Array(count);
  let rings = 0;
  let points = 0;
  let at = layer.firstFeature;
  for (let i = 0; i < count; i++) {
    features[i] = at;
    geoids[i] = layer.geoid(at);
    layer.eachRing(at, (_, start, end) => {
      rings++;
      points += end - start;
    });
    at = layer.featureAfter(at);
    if (i % BLOCKS_PER_STEP === BLOCKS_PER_STEP - 1) yield;
  }
  if (at !== layer.bytes) throw new RangeError(`end at ${at} of ${layer.bytes} bytes`);

  // Features are in Hilbert order; areas ascend by GEOID.
  const sorted = geoids.slice().sort();
  yield;
  const featureOf = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    featureOf[rankIn(sorted, geoids[i])] = features[i];
    if (i % BLOCKS_PER_STEP === BLOCKS_PER_STEP - 1) yield;
  }

  const sink = new RingSink(count, rings, points);
  for (let i = 0; i < count; i++) {
    if (i > 0 && sorted[i] === sorted[i - 1]) throw new RangeError(`block ${sorted[i]} is twice`);
    layer.eachRing(featureOf[i], (xy, start, end, isShell) => {
      for (let p = start; p < end; p++) {
        sink.point(
          Math.round(layer.double(xy + p * 16) * MICRO),
          Math.round(layer.double(xy + p * 16 + 8) * MICRO),
        );
      }
      sink.endRing(isShell);
    });
    sink.endArea();
    if (i % BLOCKS_PER_STEP === BLOCKS_PER_STEP - 1) yield;
  }
  return { geoids: sorted, ...sink.finish() };
}

/** Collects rings, dropping repeated points and rings left with fewer than three. */
class RingSink {
  readonly #firstRing: Uint32Array;
  readonly #firstPoint: Uint32Array;
  readonly #x: Int32Array;
  readonly #y: Int32Array;
  #areas = 0;
  #rings = 0;
  #points = 0;

  constructor(areas: number, rings: number, points: number) {
    this.#firstRing = new Uint32Array(areas + 1);
    this.#firstPoint = new Uint32Array(rings + 1);
    this.#x = new Int32Array(points);
    this.#y = new Int32Array(points);
  }

  point(x: number, y: number): void {
    const last = this.#points - 1;
    if (last >= this.#firstPoint[this.#rings] && this.#x[last] === x && this.#y[last] === y) return;
    this.#x[this.#points] = x;
    this.#y[this.#points++] = y;
  }

  endRing(isShell: boolean): void {
    const [x, y] = [this.#x, this.#y];
    const start = this.#firstPoint[this.#rings];
    const last = this.#points - 1;
    if (last > start && x[last] === x[start] && y[last] === y[start]) this.#points--;
    const area = twiceSignedArea(x, y, start, this.#points);
    if (area === 0) {
      this.#points = start;
      return;
    }
    if (area > 0 !== isShell) {
      x.subarray(start, this.#points).reverse();
      y.subarray(start, this.#points).reverse();
    }
    this.#firstPoint[++this.#rings] = this.#points;
  }

  endArea(): void {
    this.#firstRing[++this.#areas] = this.#rings;
  }

  finish(): Rings {
    return {
      firstRing: this.#firstRing,
      firstPoint: this.#firstPoint.slice(0, this.#rings + 1),
      x: this.#x.slice(0, this.#points),
      y: this.#y.slice(0, this.#points),
    };
  }
}

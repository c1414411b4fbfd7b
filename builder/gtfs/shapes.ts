import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import {
  boxAroundPoint,
  edgesOf,
  localDistance,
  metresPerDegreeLat,
  metresPerDegreeLon,
} from '../../shards/geometry/wgs84.ts';
import type { Degrees, Metres } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { segmentTree } from '../geo/segments.ts';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS } from './limits.ts';
import type { FeedStop } from './stops.ts';
import { readTable } from './table.ts';

/** A line on the ground. The arrays have the same length. */
interface Shape {
  readonly id: string;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** Metres along the line from its first point. */
  readonly along: Float64Array;
}

const FILE = 'shapes.txt';

/** A stop farther from a shape than this is not on it. */
const MAX_OFFSET: Metres = 150;
/**
 * Square metres of offset that outweigh a metre along the shape, so that of two ways to match stops
 * about as well, as on a street that a shape follows there and back, the shorter is taken.
 */
const SQUARE_METRES_PER_METRE = 0.1;

export class Shapes {
  readonly #feed: string;
  readonly #shapes: ReadonlyMap<string, Shape>;
  /** Cache of `along` by shape and stops. */
  readonly #places = new Map<string, Float64Array>();
  /** Number of steps so far, for all shapes together. */
  #steps = 0;

  private constructor(feed: string, shapes: ReadonlyMap<string, Shape>) {
    this.#feed = feed;
    this.#shapes = shapes;
  }

  /** Reads the shapes with some ids from `shapes.txt`, which have at most so many points. */
  static async read(
    source: FeedSource,
    wanted: ReadonlySet<string>,
    report: FeedReport,
    mostPoints: number = FEED_LIMITS.shapePoints,
  ): Promise<Shapes> {
    const points = new Map<string, PointList>();
    let held = 0;
    const columns = ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence'];
    if (wanted.size > 0) {
      await readTable(source, report, FILE, columns, (row) => {
        const id = row.text('shape_id');
        if (!wanted.has(id)) return;
        const [lon, lat] = [row.number('shape_pt_lon'), row.number('shape_pt_lat')];
        const sequence = row.number('shape_pt_sequence');
        const isPlaced =
          lon !== null && lat !== null && Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
        if (
          !isPlaced ||
          (lat === 0 && lon === 0) ||
          sequence === null ||
          !Number.isFinite(sequence)
        ) {
          return report.add(FILE, row.line, 'no valid coordinates or sequence; left out');
        }
        if (++held > mostPoints) {
          throw new BuildError(
            `${source.path}: ${FILE} has more than ${mostPoints} points of shapes; simplify them, or remove the file from the feed`,
          );
        }
        const known = points.get(id) ?? new PointList();
        points.set(id, known);
        known.add(sequence, lon, lat, row.line);
      });
    }
    const shapes = new Map(
      [...points].map(([id, list]) => [id, list.toShape(id, report)] as const),
    );
    return new Shapes(source.path, shapes);
  }

  /** Returns the points of a shape, in degrees; undefined if the feed has no such line. */
  pointsOf(id: string): Pick<Shape, 'lon' | 'lat'> | undefined {
    return this.#lineOf(id);
  }

  /** A shape whose points are all in one place is not a line. */
  #lineOf(id: string): Shape | undefined {
    const shape = this.#shapes.get(id);
    return shape && shape.along[shape.along.length - 1] > 0 ? shape : undefined;
  }

  /**
   * Returns the metres along a shape at which a vehicle is at each of the stops that it calls at in
   * turn, never decreasing; `NaN` at stops that are not on the shape in this order. Null if the
   * feed has no such shape.
   */
  along(id: string, stops: readonly FeedStop[]): Float64Array | null {
    const shape = this.#lineOf(id);
    if (!shape) return null;
    const key = [id, ...stops.map((stop) => stop.id)].join('\0');
    const known = this.#places.get(key);
    if (known) return known;
    const passes = this.#passes(shape, stops);
    this.#countSteps(id, passes.length * passes.length);
    const places = placesInOrder(passes, stops.length);
    this.#places.set(key, places);
    return places;
  }

  /** Finds where the shape comes nearest to each stop: once for each time it passes by. */
  #passes({ id, lon, lat, along }: Shape, stops: readonly FeedStop[]): Pass[] {
    const tree = segmentTree(
      Array.from({ length: lon.length - 1 }, (_, i) => i),
      lon,
      lat,
    )!;
    return stops.flatMap((stop, call) => {
      const box = boxAroundPoint(stop.lon, stop.lat, MAX_OFFSET);
      const near = tree.search(...edgesOf(box)).sort((a, b) => a - b);
      this.#countSteps(id, near.length);
      const [perLon, perLat] = [metresPerDegreeLon(stop.lat), metresPerDegreeLat(stop.lat)];
      const shares = near.map((from) => {
        const [ax, ay] = [(lon[from] - stop.lon) * perLon, (lat[from] - stop.lat) * perLat];
        const dx = (lon[from + 1] - lon[from]) * perLon;
        const dy = (lat[from + 1] - lat[from]) * perLat;
        const squared = dx * dx + dy * dy;
        return squared === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / squared));
      });
      return near.flatMap((from, i) => {
        const share = shares[i];
        // The end of a segment is nearest only if the next segment leads away.
        if (share === 0 && from > 0) return [];
        if (share === 1 && near[i + 1] === from + 1 && shares[i + 1] > 0) return [];
        const x = (lon[from] + share * (lon[from + 1] - lon[from]) - stop.lon) * perLon;
        const y = (lat[from] + share * (lat[from + 1] - lat[from]) - stop.lat) * perLat;
        const offset2 = x * x + y * y;
        if (offset2 > MAX_OFFSET * MAX_OFFSET) return [];
        return [{ call, place: along[from] + share * (along[from + 1] - along[from]), offset2 }];
      });
    });
  }

  #countSteps(shape: string, more: number): void {
    this.#steps += more;
    if (this.#steps <= FEED_LIMITS.shapeSteps) return;
    throw new BuildError(
      `${this.#feed}: ${FILE} has so many points near stops, shape ${shape} among them, that matching them would not end; simplify it, or remove it from the feed`,
    );
  }
}

/** A place where a shape comes nearest to a stop. */
interface Pass {
  /** The position of the stop among the calls. */
  readonly call: number;
  /** Metres along the shape. */
  readonly place: Metres;
  /** The square of the distance from the stop, in square metres. */
  readonly offset2: number;
}

/**
 * Chooses at most one pass for each of some calls, in the order of travel: those that together are
 * nearest to their stops, with as few calls left out as possible. `passes` are in the order of
 * calls.
 */
function placesInOrder(passes: readonly Pass[], calls: number): Float64Array {
  const gains = new Float64Array(passes.length);
  const previous = new Int32Array(passes.length).fill(-1);
  let best = -1;
  let most = Number.NEGATIVE_INFINITY;
  passes.forEach(({ call, place, offset2 }, i) => {
    let before = SQUARE_METRES_PER_METRE * place;
    for (let j = 0; passes[j].call < call; j++) {
      if (passes[j].place > place || gains[j] <= before) continue;
      before = gains[j];
      previous[i] = j;
    }
    gains[i] = before + MAX_OFFSET * MAX_OFFSET - offset2;
    const gain = gains[i] - SQUARE_METRES_PER_METRE * place;
    if (gain <= most) return;
    most = gain;
    best = i;
  });
  const places = new Float64Array(calls).fill(Number.NaN);
  for (let i = best; i >= 0; i = previous[i]) places[passes[i].call] = passes[i].place;
  return places;
}

/** The points of a shape, in the order of the file. */
class PointList {
  readonly #sequence = new GrowableArray(Float64Array);
  readonly #lon = new GrowableArray(Float64Array);
  readonly #lat = new GrowableArray(Float64Array);
  readonly #line = new GrowableArray(Int32Array);

  add(sequence: number, lon: Degrees, lat: Degrees, line: number): void {
    this.#sequence.push(sequence);
    this.#lon.push(lon);
    this.#lat.push(lat);
    this.#line.push(line);
  }

  /** Joins the points in the order of their numbers. */
  toShape(id: string, report: FeedReport): Shape {
    const [sequence, lines] = [this.#sequence.view(), this.#line.view()];
    const [allLon, allLat] = [this.#lon.view(), this.#lat.view()];
    const order = Int32Array.from(sequence, (_, i) => i);
    order.sort((a, b) => sequence[a] - sequence[b] || a - b);
    const kept = order.filter((point, i) => {
      if (i === 0 || sequence[point] !== sequence[order[i - 1]]) return true;
      report.add(FILE, lines[point], 'duplicate shape_pt_sequence in a shape; left out');
      return false;
    });
    const lon = Float64Array.from(kept, (point) => allLon[point]);
    const lat = Float64Array.from(kept, (point) => allLat[point]);
    const along = new Float64Array(kept.length);
    for (let i = 1; i < kept.length; i++) {
      along[i] = along[i - 1] + localDistance(lon[i - 1], lat[i - 1], lon[i], lat[i]);
    }
    return { id, lon, lat, along };
  }
}

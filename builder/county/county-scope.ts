import { boxesAround, bufferBox } from '../../shards/geometry/wgs84.ts';
import type {
  BlockOrdinal,
  CountyFips,
  DestinationOrdinal,
  Millis,
  Minutes,
} from '../../shards/units.ts';
import { CellSet, FINE_CELLS } from '../geo/cell-set.ts';
import type { LinkedRegion } from '../region/link-region.ts';
import { fastestIn } from '../region/read-region.ts';
import { MILLIS_PER_MINUTE, rideMetres } from '../routing-parameters.ts';
import { StopReach } from '../transit/stop-reach.ts';

/** Everything that a county's rows can depend on. Nothing outside the scope changes them. */
export interface CountyScope {
  readonly county: CountyFips;
  /** The county's blocks in the region: `firstBlock` to `endBlock`, exclusive. */
  readonly firstBlock: BlockOrdinal;
  readonly endBlock: BlockOrdinal;
  /** When each window of departures opens there. */
  readonly windowStarts: readonly Millis[];
  /** Ordinals of the destinations that may be reachable, ascending. */
  readonly destinations: Int32Array;
  /** Counties whose blocks may be reachable, ascending, including this county. */
  readonly reach: readonly CountyFips[];
  /** Ordinals of the stops that may be used, ascending. */
  readonly stops: Int32Array;
  /** The area of the streets that may be used. */
  readonly ground: CellSet;
}

/** Returns the scope of each origin county, in the order of the counties. */
export function scopeCounties({ region, searchRegion }: LinkedRegion): CountyScope[] {
  const { counties, targets, destinations, riders } = region;
  const fastest = fastestIn(region);
  const { routing } = region;
  const longest = routing.maxReachMinutes * MILLIS_PER_MINUTE;
  const reaches = StopReach.inWindows(riders[0]?.windows ?? [], longest, fastest, routing);
  const firstBlocks = new Map<CountyFips, BlockOrdinal>();
  let targetBlocks = 0;
  for (const [county, blocks] of targets) {
    firstBlocks.set(county, targetBlocks);
    targetBlocks += blocks.length;
  }
  return [...counties].map(([county, blocks]) => {
    const firstBlock = firstBlocks.get(county)!;
    const boxes = boxesAround(blocks.map(({ lon, lat }) => [lon, lat]));
    const windowStarts = reaches.map((reach) => reach.windowStartOf(boxes));
    const stopsWithin = (minutes: Minutes) => {
      const limit = minutes * MILLIS_PER_MINUTE;
      const each = reaches.flatMap((reach, window) =>
        boxes.flatMap((one) => [...reach.stopsFrom(one, windowStarts[window], limit)]),
      );
      return Int32Array.from(new Set(each)).sort();
    };
    const groundWithin = (minutes: number, from: Int32Array) => {
      const cover = new CellSet(FINE_CELLS);
      for (const one of boxes) cover.add(bufferBox(one, rideMetres(minutes, fastest, routing)));
      for (const part of reaches[0]?.boxesAround(from) ?? []) cover.add(part);
      return cover;
    };
    const stops = stopsWithin(routing.maxReachMinutes);
    const ground = groundWithin(routing.maxReachMinutes, stops);
    const nearby = groundWithin(routing.maxMinutes, stopsWithin(routing.maxMinutes));
    const near: DestinationOrdinal[] = [];
    const { firstInside, inside } = searchRegion;
    const here = new Set(
      inside.subarray(firstInside[firstBlock], firstInside[firstBlock + blocks.length]),
    );
    for (let ordinal = 0; ordinal < searchRegion.destinationCount; ordinal++) {
      const { entrances } = destinations[ordinal];
      const isNear = entrances.some(({ lon, lat }) => nearby.hasPoint(lon, lat));
      if (isNear || here.has(ordinal)) near.push(ordinal);
    }
    return {
      county,
      firstBlock,
      endBlock: firstBlock + blocks.length,
      windowStarts,
      destinations: Int32Array.from(near),
      reach: [...targets.keys()].filter(
        (other) =>
          other === county || targets.get(other)!.some(({ lon, lat }) => ground.hasPoint(lon, lat)),
      ),
      stops,
      ground,
    };
  });
}

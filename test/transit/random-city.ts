import { Dice } from './dice.ts';
import { type Point, pointAt, type SmallCity } from './small-city.ts';

/** A city with stops. */
export interface CityWithStops extends SmallCity {
  readonly stops: readonly Point[];
}

const SIDE = 12;
/** Spacing of streets in metres: wide, so that an hour on foot does not cross the city. */
const SPACING = 420;

/** A bent grid of streets with holes in it, and points around it, the same for the same seed. */
export function randomCity(seed: number): CityWithStops {
  const dice = new Dice(seed);
  const east = (i: number) => (i % SIDE) * SPACING;
  const north = (i: number) => Math.floor(i / SIDE) * SPACING;
  const corners = Array.from({ length: SIDE * SIDE }, (_, i) =>
    pointAt(east(i) + dice.between(-90, 90), north(i) + dice.between(-90, 90)),
  );
  const streets: [number, number][] = [];
  for (let i = 0; i < corners.length; i++) {
    if (i % SIDE < SIDE - 1 && dice.chance(0.88)) streets.push([i, i + 1]);
    if (i + SIDE < corners.length && dice.chance(0.88)) streets.push([i, i + SIDE]);
  }
  const somewhere = () => {
    const corner = dice.below(corners.length);
    return pointAt(east(corner) + dice.between(-200, 200), north(corner) + dice.between(-200, 200));
  };
  const points = (count: number) => Array.from({ length: Math.round(count) }, somewhere);
  return {
    corners,
    streets,
    blocks: points(dice.between(20, 40)),
    shops: points(dice.between(5, 10)),
    stops: points(dice.between(20, 35)),
  };
}

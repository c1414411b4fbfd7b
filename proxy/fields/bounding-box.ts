import { z } from 'zod';
import { BOUNDS, boundsText, isWithin } from '../bounds.ts';
import type { ExampleMarks } from '../endpoint.ts';
import { Problem } from '../http/problem.ts';
import { optional } from './field.ts';
import { decimal } from './kinds.ts';

/** Any text: the route validates the box, which has a problem type of its own. */
export const bbox = optional(
  { text: z.custom<string | readonly string[]>().meta({ override: { type: 'string' } }) },
  {
    id: 'Bbox',
    description:
      '`min_lon,min_lat,max_lon,max_lat`, WGS84 degrees. If `min_lon` is greater than ' +
      '`max_lon`, the box crosses the antimeridian and must span less than 180 degrees.',
    example: ({ poi }) => boxAround(poi),
  },
);

function boxAround({ lat, lon }: ExampleMarks['poi']): string {
  const around = 0.002;
  return [lon - around, lat - around, lon + around, lat + around]
    .map((degrees) => degrees.toFixed(4))
    .join();
}

/**
 * Upper bound, exclusive, of the degrees of longitude that a box across the antimeridian spans; the
 * edges of a wider box are swapped.
 */
const MAX_SPAN_ACROSS = 180;

export function bboxNumbers(
  text: string | readonly string[],
): [west: number, south: number, east: number, north: number] {
  if (typeof text !== 'string') {
    throw invalidBox('must be given once: min_lon,min_lat,max_lon,max_lat');
  }
  const numbers = text.split(',').map((part) => decimal(part.trim()));
  if (numbers.length !== 4 || !numbers.every((one) => one !== undefined)) {
    throw invalidBox('must be four numbers: min_lon,min_lat,max_lon,max_lat');
  }
  const [west, south, east, north] = numbers;
  const { longitude, latitude } = BOUNDS;
  if (![west, east].every((lon) => isWithin(longitude, lon))) {
    throw invalidBox(`has a longitude that is not ${boundsText(longitude)}; longitude comes first`);
  }
  if (![south, north].every((lat) => isWithin(latitude, lat))) {
    throw invalidBox(`has a latitude that is not ${boundsText(latitude)}; longitude comes first`);
  }
  if (south > north) throw invalidBox('has a min_lat greater than its max_lat');
  if (west > east && east + 360 - west >= MAX_SPAN_ACROSS) {
    throw invalidBox(
      'has a min_lon greater than its max_lon, and is too wide to cross the antimeridian',
    );
  }
  return [west, south, east, north];
}

export function invalidBox(fault: string): Problem {
  return new Problem('invalid-bbox', `bbox ${fault}`);
}

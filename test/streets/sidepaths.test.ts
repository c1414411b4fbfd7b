import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { modeCosts } from '../../builder/streets/mode-costs.ts';
import {
  nodeTraits,
  RIDE_BACKWARD,
  RIDE_FORWARD,
  streetTraits,
} from '../../builder/streets/traits.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { tagsOf } from '../support/tags.ts';

/** Metres along the equator. */
const METRE = 1 / 111_319.490793;
const LIGHTS = nodeTraits(tagsOf('highway=traffic_signals'));

type Way = readonly [points: readonly (readonly [east: number, north: number])[], tags: string];

/** A 300 m street to the east, with others parallel to it: the ridable parts of the street. */
function riddenOf(tags: string, ...beside: readonly Way[]): string {
  const street: Way = [
    [
      [0, 0],
      [300, 0],
    ],
    tags,
  ];
  const places: (readonly number[])[] = [];
  const ways = [street, ...beside].map(([points, own]) => {
    const refs = points.map(([east, north]) => places.push([east * METRE, north * METRE]) - 1);
    return { refs, traits: streetTraits(tagsOf(own)) };
  });
  const lights = places.map(() => LIGHTS);
  const { ridden } = modeCosts(buildNetwork(...mappedStreets(places, ways, lights)), 'bike');
  return (ridden[0] & RIDE_FORWARD ? 'R' : '-') + (ridden[0] & RIDE_BACKWARD ? 'r' : '-');
}

const SENT = 'highway=tertiary, bicycle=use_sidepath';
/** A line of the given length next to the middle of the street, turned by the given degrees. */
const line = (north: number, tags: string, degrees = 0): Way => {
  const [x, y] = [Math.cos, Math.sin].map((of) => 100 * of((degrees * Math.PI) / 180));
  return [
    [
      [150 - x, north - y],
      [150 + x, north + y],
    ],
    tags,
  ];
};

test.each<[string, string, string, readonly Way[]]>([
  ['a path beside it', '--', SENT, [line(20, 'highway=cycleway')]],
  ['no path', 'Rr', SENT, []],
  ['a path too far off', 'Rr', SENT, [line(40, 'highway=cycleway')]],
  ['a path that crosses it', 'Rr', SENT, [line(10, 'highway=cycleway', 60)]],
  ['a path that is bent away a little', '--', SENT, [line(10, 'highway=cycleway', 20)]],
  ['a footway for walkers', 'Rr', SENT, [line(10, 'highway=footway')]],
  ['a footway signed for bicycles', '--', SENT, [line(10, 'highway=footway, bicycle=yes')]],
  ['a calm street beside it', '--', SENT, [line(10, 'highway=residential')]],
  ['a busy street beside it', 'Rr', SENT, [line(10, 'highway=secondary')]],
  ['a private drive', 'Rr', SENT, [line(10, 'highway=cycleway, access=private')]],
  ['another street whose path it would be', 'Rr', SENT, [line(10, `${SENT}, lts=1`)]],
  [
    'a path for one direction',
    '-r',
    'highway=tertiary, bicycle:forward=use_sidepath',
    [line(20, 'highway=cycleway')],
  ],
  ['no path for one direction', 'Rr', 'highway=tertiary, bicycle:forward=use_sidepath', []],
  [
    'a path, and a lane of its own',
    'R-',
    `${SENT}, cycleway:right=lane`,
    [line(20, 'highway=cycleway')],
  ],
  ['no path, and it is one-way', 'R-', `${SENT}, oneway=yes`, []],
  ['no path, and it is large', '--', 'highway=primary, bicycle=use_sidepath', []],
  ['no path, and it is for cars', '--', 'highway=trunk, motorroad=yes, bicycle=use_sidepath', []],
  ['no path, and it is a footway', '--', 'highway=footway, bicycle=use_sidepath', []],
])('where riders are sent to a path and there is %s, %s is ridden', (_, ridden, tags, beside) => {
  expect(riddenOf(tags, ...beside)).toBe(ridden);
});

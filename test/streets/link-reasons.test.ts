import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROUTING } from '../../builder/routing-parameters.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { buildNetwork } from '../../builder/streets/network.ts';
import {
  NO_LINKING,
  RIDE_BACKWARD,
  RIDE_FORWARD,
  WALK_BACKWARD,
  WALK_FORWARD,
} from '../../builder/streets/traits.ts';

const CALM = 1 << 5;
const BOTH = WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | CALM;
const RIDE = RIDE_FORWARD | RIDE_BACKWARD | CALM;
const LAT = 36;
const METRES_A_DEGREE = 111_000 * Math.cos((LAT * Math.PI) / 180);

/** A straight street along a meridian, long enough to be no island, and so many metres east of 0. */
function street(metres: number, traits: number, vertices = 100) {
  const lon = -70 + metres / METRES_A_DEGREE;
  return {
    traits,
    points: Array.from({ length: vertices }, (_, i) => [lon, LAT + (i - vertices / 2) * 1e-4]),
  };
}

function linkerOf(mode: 'walk' | 'bike', streets: readonly ReturnType<typeof street>[]) {
  // Each piece is a way of its own, so that each of its points is a vertex.
  const ways = streets.flatMap(({ traits, points }, s) =>
    points.slice(1).map((_, i) => ({ traits, refs: [s * 1000 + i, s * 1000 + i + 1] })),
  );
  const ids = [...new Set(ways.flatMap(({ refs }) => refs))].sort((a, b) => a - b);
  const at = (id: number) => streets[Math.floor(id / 1000)].points[id % 1000];
  const network = buildNetwork(
    {
      count: ways.length,
      osmId: Float64Array.from(ways.keys()),
      traits: Uint32Array.from(ways, ({ traits }) => traits),
      firstRef: Uint32Array.from({ length: ways.length + 1 }, (_, i) => i * 2),
      refs: Uint32Array.from(ways.flatMap(({ refs }) => refs.map((id) => ids.indexOf(id)))),
    },
    {
      count: ids.length,
      osmId: Float64Array.from(ids),
      lon: Float64Array.from(ids, (id) => at(id)[0]),
      lat: Float64Array.from(ids, (id) => at(id)[1]),
      traits: new Uint8Array(ids.length),
    },
  );
  const coverage = { minLon: -71, minLat: 35, maxLon: -69, maxLat: 37 };
  return buildModeNetwork(network, mode, coverage).linker;
}

const reason = (link: unknown) => (typeof link === 'string' ? link : 'linked');
const [, FAR] = ROUTING.linkRadii;

test('a block says why it could not be linked: by the nearest street of each kind', () => {
  const kinds = {
    open: (metres: number) => street(metres, BOTH),
    closed: (metres: number) => street(metres, RIDE),
    oneWay: (metres: number) => street(metres, WALK_FORWARD | RIDE),
    island: (metres: number) => street(metres, BOTH, 5),
    tunnel: (metres: number) => street(metres, BOTH | NO_LINKING),
  };
  const kind = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]));
  // Not so near to the limit that the projection decides.
  const metres = fc.oneof(
    fc.integer({ min: 1, max: FAR - 50 }),
    fc.integer({ min: FAR + 50, max: 4 * FAR }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(kind, metres), { minLength: 1, maxLength: 4 }), (list) => {
      const linker = linkerOf(
        'walk',
        list.map(([name, away]) => kinds[name](away)),
      );
      const near = new Set(list.filter(([, away]) => away <= FAR).map(([name]) => name));
      near.delete('tunnel');
      const expected = near.has('open')
        ? 'linked'
        : near.size > 0
          ? 'not-on-mode-network'
          : 'no-street-near';
      expect(reason(linker.link(-70, LAT))).toBe(expected);
    }),
    { numRuns: 200 },
  );
});

test('a cycle track alone links the bike and not the walk; beyond the data neither', () => {
  const track = [street(20, RIDE)];
  expect(reason(linkerOf('bike', track).link(-70, LAT))).toBe('linked');
  expect(reason(linkerOf('walk', track).link(-70, LAT))).toBe('not-on-mode-network');
  for (const mode of ['walk', 'bike'] as const) {
    expect(reason(linkerOf(mode, track).link(-72, LAT))).toBe('outside-street-data');
  }
});

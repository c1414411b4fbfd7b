import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { linkTargets } from '../../builder/streets/linked-targets.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { StreetSearch } from '../../builder/streets/street-search.ts';
import { forAll } from '../support/for-all.ts';
import { clearlyTied, naiveStreets, naiveTimes } from './naive-router.ts';
import { randomStreets, seeded } from './random-streets.ts';

const MINUTE = 60_000;
/** Half a millisecond per edge of a trip, and a few for its ends. */
const ROUNDING_MS = 40;

test.each(['walk', 'bike'] as const)(
  'a %s search agrees with brute force on random streets, from every point to every point',
  async (mode) => {
    await forAll(25, fc.nat(), fc.integer({ min: 1, max: 12 }), (seed, minutes) => {
      const { ways, nodes } = randomStreets(seed);
      const random = seeded(seed + 1);
      const drawn = Array.from({ length: 30 }, () => ({
        lon: -70 + random() * 0.0105,
        lat: 36 + random() * 0.0086,
      }));
      // In half of the towns the street data ends within the easternmost streets.
      const east = random() < 0.5 ? Infinity : -70 + 0.008 + random() * 0.002;
      const streets = naiveStreets(ways, nodes, mode, east);
      const points = clearlyTied(streets, drawn).slice(0, 25);
      expect(points.length).toBe(25);
      const coverage = { minLon: -180, minLat: -90, maxLon: Math.min(180, east), maxLat: 90 };
      const network = buildModeNetwork(buildNetwork(ways, nodes), mode, { coverage });
      const links = points.map(({ lon, lat }) => network.linker.link(lon, lat));
      const naive = naiveTimes(streets, points);
      const toRide = links.map((link, i) =>
        typeof link === 'string'
          ? null
          : network.linker.linkToRide(points[i].lon, points[i].lat, link),
      );
      const targets = [...links, ...toRide].flatMap((link, i) =>
        link === null || typeof link === 'string' ? [] : [{ target: i % points.length, link }],
      );
      const limit = minutes * MINUTE;
      const search = new StreetSearch(
        network.graph,
        linkTargets(network.graph, points.length, targets),
        limit,
      );
      links.forEach((link, origin) => {
        if (typeof link === 'string') {
          expect(naive[origin]).toBeNull();
          return;
        }
        const count = search.run(link, ...[toRide[origin]].filter((other) => other !== null));
        const reached = new Set(search.reached.subarray(0, count));
        expect(reached.size).toBe(count);
        for (let target = 0; target < points.length; target++) {
          const expected = naive[origin]?.[target] ?? Infinity;
          if (reached.has(target)) {
            expect(search.times[target]).toBeLessThanOrEqual(limit);
            expect(Math.abs(search.times[target] - expected)).toBeLessThanOrEqual(ROUNDING_MS);
          } else {
            expect(expected).toBeGreaterThan(limit - ROUNDING_MS);
          }
        }
      });
    });
  },
);

import fc from 'fast-check';
import { beforeAll } from 'vitest';
import type { Demo } from './demo.ts';

type RandomQueries = ReturnType<typeof drawFrom>;

/** Random parts of queries to the release that tests share, which mostly find something. */
export function randomQueries(demo: Demo): RandomQueries {
  const queries: Partial<RandomQueries> = {};
  beforeAll(() => void Object.assign(queries, drawFrom(demo)));
  return queries as RandomQueries;
}

function drawFrom({ release }: Demo) {
  const routable = release.blocks.filter(({ isRoutable }) => isRoutable);
  const [west, east] = extent(release.blocks.map(({ lon }) => lon));
  const [south, north] = extent(release.blocks.map(({ lat }) => lat));
  const micro = (from: number, to: number) =>
    fc.integer({ min: Math.round(from * 1e6), max: Math.round(to * 1e6) }).map((n) => n / 1e6);
  const lon = micro(west - 0.003, east + 0.003);
  const lat = micro(south - 0.003, north + 0.003);
  const mode = fc.uniqueArray(fc.constantFrom(...release.modes), { maxLength: 3 });
  const type = fc.uniqueArray(fc.constantFrom(...release.leavesOf.keys()), { maxLength: 4 });
  return {
    block: fc.constantFrom(...release.blocks),
    routableBlock: fc.constantFrom(...routable),
    poi: fc.constantFrom(...release.pois),
    point: fc.record({ lon, lat }),
    mode,
    type,
    destIds: fc.uniqueArray(fc.constantFrom(...release.pois.map((poi) => poi.dest_id)), {
      maxLength: 20,
    }),
    /** In hundredths of minutes: some limits equal a stored time, and some lie between two. */
    maxMinutes: fc.option(
      fc.integer({ min: 100, max: 3000 }).map((n) => n / 100),
      { nil: undefined },
    ),
    /** A part of the name of a POI, as it is, in capitals or in small letters. */
    q: fc.option(
      fc
        .tuple(fc.constantFrom(...release.pois), fc.nat(20), fc.integer({ min: 1, max: 6 }))
        .map(([{ name }, at, length]) => name.slice(at % name.length, (at % name.length) + length))
        .filter((part) => part.trim() === part && part !== '')
        .chain((part) => fc.constantFrom(part, part.toUpperCase(), part.toLowerCase())),
      { nil: undefined },
    ),
    box: fc
      .tuple(lon, lon, lat, lat)
      .map(([a, b, c, d]) => [Math.min(a, b), Math.min(c, d), Math.max(a, b), Math.max(c, d)]),
    radius: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 3000, max: 50_000 })),
    /** A ring that never crosses itself: its corners lie in successive directions from a point. */
    star: fc
      .record({
        lon,
        lat,
        radii: fc.array(fc.integer({ min: 300, max: 15_000 }), { minLength: 3, maxLength: 12 }),
      })
      .map(({ lon: x, lat: y, radii }) => {
        const ring = radii.map((radius, i): [number, number] => {
          const angle = (2 * Math.PI * i) / radii.length;
          const [dx, dy] = [Math.cos(angle), Math.sin(angle)].map((one) =>
            Math.round(one * radius),
          );
          return [(Math.round(x * 1e6) + dx) / 1e6, (Math.round(y * 1e6) + dy) / 1e6];
        });
        return [...ring, ring[0]];
      }),
  };
}

function extent(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

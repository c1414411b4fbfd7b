/** Bodies made to cost more than they look. Each fits the limit of a megabyte. */

const MEBIBYTE = 2 ** 20;
const ROOM = MEBIBYTE - 200;

/** As many repeats as fit in a megabyte. */
const fill = (one: string) => `${one},`.repeat(Math.floor(ROOM / (one.length + 1))).slice(0, -1);

/** The name of a route's list. */
function listName(route: string): string {
  if (route === '/v1/blocks/query') return 'type';
  return route === '/v1/pois/catchment' ? 'dest_ids' : 'origins';
}

const listOf = (item: string) => {
  const items = fill(item);
  return (route: string) => Buffer.from(`{"${listName(route)}":[${items}]}`);
};

/** A megabyte of elements that are not origins, of every shape. */
export const BAD_ORIGINS = ['1', '{}', '""', 'null', '[]', '-1e5', '{"lat":99,"lon":"x"}'].map(
  listOf,
);

export const unknownMembers = memoized(() => {
  const names = Array.from({ length: 60_000 }, (_, i) => `"unheard_of_${i}":1`);
  return Buffer.from(
    `{${names
      .join()
      .slice(0, ROOM)
      .replace(/,[^,]*$/, '')}}`,
  );
});

export const DEEP = [
  memoized(() => Buffer.from(`{"polygon":${'['.repeat(ROOM / 2)}${']'.repeat(ROOM / 2)}}`)),
  memoized(() => Buffer.from(`${'{"origins":'.repeat(80_000)}1${'}'.repeat(80_000)}`)),
  memoized(() => Buffer.from('['.repeat(ROOM))),
];

const polygon = (coordinates: string, type = 'Polygon') =>
  Buffer.from(`{"polygon":{"type":"${type}","coordinates":${coordinates}}}`);

export const EMPTY_RINGS = [
  memoized(() => polygon(`[${fill('[]')}]`)),
  memoized(() => polygon(`[[${fill('[]')}]]`)),
  memoized(() => polygon(`[${fill('[[]]')}]`, 'MultiPolygon')),
  memoized(() => Buffer.from(`{"polygon":{"coordinates":[[${fill('[]')}]]}}`)),
];

/** A polygon of 2,000 vertices, in which every tooth crosses the last edge. */
export const crossingComb = memoized(() => {
  const teeth = Array.from({ length: 999 }, (_, i) => {
    const lon = -70.02 + i * 4e-5;
    return `[${lon.toFixed(9)},35.980000001],[${(lon + 2e-5).toFixed(9)},36.019999999]`;
  });
  return polygon(`[[[-70.03,36],${teeth.join()},[-70.03,36]]]`);
});

/** A small shell, and a hole as large as the country. */
export const holeOutside = memoized(() =>
  polygon(`[${ring(-70.01, 36, 0.001)},${ring(-95, 38, 20)}]`),
);

/** Two small parts whose common bounding box contains all counties. */
export const farParts = memoized(() =>
  polygon(`[[${ring(-70.01, 36, 0.001)}],[${ring(-120, 45, 0.001)}]]`, 'MultiPolygon'),
);

/** The largest error that a small body can cause. */
export const manyFaults = memoized(() => {
  return Buffer.from(`{${Array.from({ length: 250 }, (_, i) => `"m${i}":1`).join()}}`);
});

function ring(lon: number, lat: number, half: number): string {
  const corners = [
    [lon - half, lat - half],
    [lon + half, lat - half],
    [lon + half, lat + half],
    [lon - half, lat + half],
    [lon - half, lat - half],
  ];
  return JSON.stringify(corners);
}

function memoized(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

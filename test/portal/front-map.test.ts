import { expect, test } from 'vitest';
import { drawOutline } from '../../portal/pages/front/outline.ts';
import { bandPaths } from '../../portal/pages/map/tiles/vector-tiles.ts';
import { BAND_ENDS } from '../../shards/bands/time-bands.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { MICRO } from '../../shards/units.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const SIZE = { width: 480, height: 320 };
const proxy = proxyOfTests();

/** Whether a point is inside an SVG path of straight lines, by the nonzero rule. */
function isInside(path: string, [x, y]: readonly [number, number]): boolean {
  let winding = 0;
  for (const ring of path.split('Z')) {
    const corners = [...ring.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map((m) => [+m[1], +m[2]]);
    corners.forEach(([x1, y1], i) => {
      const [x2, y2] = corners[(i + 1) % corners.length];
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
        winding += y2 > y1 ? 1 : -1;
    });
  }
  return winding !== 0;
}

test('the front page’s map shows each block in the class of its minutes from the API', async () => {
  const port = await proxy.listen();
  const place = (await proxy.get('/v1/places?q=a&limit=1')).json().places[0];
  const boundary = (await proxy.get(`/v1/places/${place.geoid}/boundary`)).json();
  const { archives } = (await proxy.get('/v1/meta/tiles')).json();
  const { url } = archives.find(
    (one: { mode: string | null; dest_type_id: number | null }) =>
      one.mode === 'walk' && one.dest_type_id === 101,
  );
  const { frame } = drawOutline(boundary, SIZE);
  const archive = `http://127.0.0.1:${port}${new URL(url).pathname}`;
  const paths = await bandPaths(archive, frame.box, Math.ceil(frame.position.zoom), frame.place);

  const rows = await proxy.get(
    `/v1/places/${place.geoid}/blocks?mode=walk&type=101&limit=1000`,
    proxy.key,
  );
  const minutes = new Map<string, number>(
    rows
      .json()
      .results.map((row: { geoid: string; travel_time: number }) => [row.geoid, row.travel_time]),
  );
  expect(minutes.size).toBeGreaterThan(300);
  const seen = new Set<number>();
  const release = proxy.releases.current;
  for (const { manifest } of release.counties) {
    const index = await release.index(manifest);
    for (let i = 0; i < index.count; i++) {
      const time = minutes.get(geoidFromNumber(index.geoids[i]));
      if (time === undefined) continue;
      const at = frame.placeOf({ lon: index.lon[i] / MICRO, lat: index.lat[i] / MICRO });
      const expected = BAND_ENDS.findIndex((end) => time <= end);
      const shown = paths.flatMap((path, band) => (isInside(path, at) ? [band] : []));
      expect([index.geoids[i], shown]).toEqual([index.geoids[i], [expected]]);
      seen.add(expected);
    }
  }
  expect(seen.size).toBeGreaterThan(2);
});

import type { Ring } from '../../shards/geometry/polygon.ts';
import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Metres } from '../../shards/units.ts';

/** Evenly spaced points along a line from its start, at most `step` apart. */
export function evenlySpaced(line: Ring, step: Metres): Ring {
  const lengths = line.slice(1).map((to, i) => localDistance(line[i][0], line[i][1], to[0], to[1]));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const count = Math.max(1, Math.ceil(total / step));
  const points: (readonly [number, number])[] = [];
  let before = 0;
  lengths.forEach((length, i) => {
    const [[fromLon, fromLat], [toLon, toLat]] = [line[i], line[i + 1]];
    for (let at = (points.length * total) / count; at < before + length; ) {
      const part = (at - before) / length;
      points.push([fromLon + part * (toLon - fromLon), fromLat + part * (toLat - fromLat)]);
      at = (points.length * total) / count;
    }
    before += length;
  });
  return points;
}

import { boxContains } from '../../shards/geometry/wgs84.ts';
import { GrowingList } from '../../shards/growing-list.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { Lines } from '../streets/impassable.ts';
import type { RawLines } from './raw-streets.ts';

/** The lines that come into an area, where they are. Where nodes are missing, a line is cut in two. */
export function keepLines(raw: RawLines, table: NodeTable, area: BoundingBox): Lines {
  const refs = raw.refs.view();
  const lon = new GrowingList(Float64Array);
  const lat = new GrowingList(Float64Array);
  const firstPoint: number[] = [0];
  let start = 0;
  for (const end of raw.endRef.view()) {
    const ordinals = Array.from(refs.subarray(start, end), (ref) => table.find(ref));
    start = end;
    const comesIn = ordinals.some((at) => boxContains(area, table.lon[at], table.lat[at]));
    if (!comesIn) continue;
    for (const ordinal of ordinals) {
      if (table.isMissing(ordinal)) {
        endLine(firstPoint, lon.length);
        continue;
      }
      lon.push(table.lon[ordinal]);
      lat.push(table.lat[ordinal]);
    }
    endLine(firstPoint, lon.length);
  }
  return {
    count: firstPoint.length - 1,
    firstPoint: Uint32Array.from(firstPoint),
    lon: lon.view().slice(),
    lat: lat.view().slice(),
  };
}

function endLine(firstPoint: number[], points: number): void {
  if (points > firstPoint[firstPoint.length - 1]) firstPoint.push(points);
}

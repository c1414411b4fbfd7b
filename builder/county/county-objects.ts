import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { BlockIndex, type BlockRecord } from '../../shards/index/block-index.ts';
import type { CountyObjectKind } from '../../shards/manifest.ts';
import { MatrixWriter } from '../../shards/matrix/matrix.ts';
import { TENTHS } from '../../shards/matrix/row-codec.ts';
import { encodeNearest } from '../../shards/nearest/nearest.ts';
import { encodePoiTable } from '../../shards/pois/poi-table.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { type CountyJob, routeCounty } from './county-job.ts';

/** A county's finished objects, and what the manifest says of it. */
export interface CountyObjects {
  readonly objects: Readonly<Record<CountyObjectKind, Uint8Array>>;
  readonly blocks: number;
  readonly population: number;
  readonly routableBlocks: number;
  /** Rows of the POI matrix: (block, POI, mode) within reach. */
  readonly poiRows: number;
}

/** Routes a county and encodes what came of it. `leafIds`: the columns of `nearest`, ascending. */
export function buildCounty(
  job: CountyJob,
  leafIds: readonly DestTypeId[],
  onBlock: (done: number) => void,
): CountyObjects {
  const columnOf = new Map(leafIds.map((id, column) => [id, column]));
  const leavesOfTarget = job.destinations.map((d) => d.types.map((type) => columnOf.get(type)!));
  const columns = job.networks.length * leafIds.length;
  const nearest = new Uint16Array(job.blocks.length * columns);
  const records: BlockRecord[] = [];
  const matrix = new MatrixWriter({
    origins: job.blocks.map((block) => block.geoid),
    targets: job.destinations.map((destination) => destination.destId),
    attributes: encodePoiTable(job.destinations.map(poiFacts)),
    modes: job.networks.length,
    unit: TENTHS,
  });
  let poiRows = 0;
  for (const { record, rows } of routeCounty(job)) {
    matrix.row(rows);
    rows.forEach(({ targets, times }, mode) => {
      poiRows += targets.length;
      const base = records.length * columns + mode * leafIds.length;
      for (let i = 0; i < targets.length; i++) {
        for (const leaf of leavesOfTarget[targets[i]]) {
          const best = nearest[base + leaf];
          if (best === 0 || times[i] < best) nearest[base + leaf] = times[i];
        }
      }
    });
    records.push(record);
    onBlock(records.length);
  }
  return {
    objects: {
      index: BlockIndex.encode(records),
      nearest: encodeNearest(nearest, columns),
      pois: matrix.finish(),
      blocks: blockPolygons(job),
    },
    blocks: records.length,
    population: records.reduce((sum, record) => sum + (record.population ?? 0), 0),
    routableBlocks: records.filter((r) => r.links.some((link) => link.status === 'linked')).length,
    poiRows,
  };
}

function poiFacts({ name, lon, lat, address, brand, types }: Destination) {
  return { name, lon, lat, ...address, brand, types };
}

function blockPolygons(job: CountyJob): Uint8Array {
  return writeFlatGeobuf(
    `blocks_${job.county}`,
    [
      { name: 'geoid', type: 'string' },
      { name: 'population', type: 'integer' },
    ],
    job.blocks.map((block) => ({
      area: block.area,
      properties: { geoid: geoidFromNumber(block.geoid), population: block.population },
    })),
  );
}

import { z } from 'zod';
import type { GeoidNumber } from '../../../shards/geoid.ts';
import type { Catchments } from '../../../shards/release/loaders.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyPoi, DestId, ReleaseMode, Tenths } from '../../../shards/units.ts';
import { allColumns, Columns, type RowColumn } from '../../formats/columns.ts';
import type { FoundRows } from '../../formats/rows.ts';
import { Problem } from '../../http/problem.ts';
import type { Page } from '../rows/pagination.ts';
import { GEOID, MODE_TIME, rowSchema, TIME, timeKey } from '../rows/row-columns.ts';
import { pageOfRow, type RowPage } from '../rows/row-page.ts';
import { DEST_ID } from './poi-columns.ts';

export interface CatchmentFilter {
  /** Ascending. */
  readonly modes: readonly ReleaseMode[];
  readonly blocks: ReadonlySet<GeoidNumber> | undefined;
  readonly maxTenths: Tenths;
  /** Whether rows have the name of the POI. */
  readonly withName: boolean;
}

interface NamedPoi {
  readonly dest_id: DestId;
  readonly name: string;
}
const namedPoi = new Columns<NamedPoi>({
  ...DEST_ID.members,
  name: {
    type: 'string',
    schema: z.string().optional().meta({ description: 'With `names`: the name of the POI.' }),
  },
});

export const catchmentRow = rowSchema(namedPoi, GEOID, MODE_TIME).meta({
  id: 'CatchmentRow',
  description: 'Minutes from a block to one POI, by one mode.',
});

const subjectColumns = ({ withName }: Pick<CatchmentFilter, 'withName'>) =>
  withName ? namedPoi : DEST_ID;

export function catchmentColumns(filter: CatchmentFilter): readonly RowColumn[] {
  return allColumns([subjectColumns(filter), GEOID, TIME]);
}

/**
 * Returns the home county of a POI, from a directory kept in memory; throws `poi-not-found` if
 * there is none.
 */
export async function homeCounty(release: Release, destId: DestId): Promise<CountyManifest> {
  const fips = (await release.destIds()).countyOf(destId);
  const county = fips === null ? undefined : release.county(fips);
  if (county) return county;
  throw noSuchPoi(destId);
}

function noSuchPoi(destId: DestId): Problem {
  const detail = `there is no point of interest ${destId}`;
  return new Problem('poi-not-found', detail, { dest_id: destId });
}

/**
 * Returns the ordinal of a POI in its county. Throws `poi-not-found` if it is absent, since then
 * the directory is wrong.
 */
export function poiOrdinal({ matrix }: Catchments, destId: DestId): CountyPoi {
  const ordinal = matrix.originOrdinal(destId);
  if (ordinal !== -1) return ordinal;
  throw noSuchPoi(destId);
}

const ROWS_PER_STEP = 256;

/**
 * Reads the next `limit` blocks that reach a POI, after a position (mode id, GEOID), with at most
 * one range read once the county's head is cached.
 */
export async function catchmentOf(
  release: Release,
  county: CountyManifest,
  destId: DestId,
  { blocks, withName, ...filter }: CatchmentFilter,
  page: Pick<Page, 'position' | 'limit'>,
): Promise<FoundRows & Pick<RowPage, 'end'>> {
  const catchments = await release.catchments(county);
  const { matrix, table } = catchments;
  const poi = poiOrdinal(catchments, destId);
  const row = await matrix.encodedRow(poi);
  const isWanted = blocks && ((target: number) => blocks.has(matrix.targets[target]));
  const wanted = { ...filter, isWanted };
  const { parts, count, end } = await pageOfRow(release, matrix, row, wanted, page);
  return {
    count,
    end,
    async addTo(rows) {
      const subject = { dest_id: destId, name: table.name(poi) };
      const add = rows.of(subjectColumns({ withName }), GEOID, TIME);
      for (const { mode, targets, times } of parts) {
        const first = timeKey(mode);
        for (let i = 0; i < targets.length; i++) {
          add(subject, matrix.targets[targets[i]], first + times[i]);
          if ((i + 1) % ROWS_PER_STEP === 0) await release.turns.yieldIfOverdue();
        }
      }
    },
  };
}

import { z } from 'zod';
import { MAX_POI_MINUTES, MINUTES } from '../../../shards/matrix/row-codec.ts';
import type { Mode } from '../../../shards/modes.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Minutes, ReleaseMode } from '../../../shards/units.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';
import { DEFAULT_MINUTES } from '../../bounds.ts';
import { Columns } from '../../formats/columns.ts';
import type { FoundRows } from '../../formats/rows.ts';
import { invalidParameter } from '../../http/problem.ts';
import { modeLabels, modePositions } from '../modes-and-types.ts';
import { checkDirection } from '../origins/near-points.ts';
import type { OriginBlock } from '../origins/origin-block.ts';
import { unroutedReason } from '../origins/unrouted.ts';
import { modeSchema, NO_ORIGIN, rowSchema } from '../rows/row-columns.ts';
import { type Decay, decayOf } from './decay.ts';
import {
  type CountsByTime,
  checkPoiMinutes,
  countOpportunities,
  type Opportunity,
  requestedOpportunities,
} from './opportunities.ts';

export interface AccessParams {
  readonly mode?: readonly Mode[] | undefined;
  readonly direction: Direction;
  readonly of?: readonly string[] | undefined;
  readonly minutes?: readonly Minutes[] | undefined;
  readonly curve: boolean;
  readonly decay: string;
}

export interface AccessQuery {
  /** Ascending. */
  readonly modes: readonly ReleaseMode[];
  readonly direction: Direction;
  readonly opportunities: readonly Opportunity[];
  /** Time limits of counts with `step`, ascending; empty for other decays, which give one count. */
  readonly levels: readonly Minutes[];
  readonly decay: Decay | null;
}

interface Count {
  readonly of: string;
  readonly mode: Mode;
  readonly minutes?: Minutes;
  readonly count: number;
}
const counts = new Columns<Count>({
  of: { type: 'string', schema: z.string().meta({ description: 'A weight, or `type:ID`.' }) },
  mode: { type: 'string', schema: modeSchema },
  minutes: {
    type: 'int32',
    schema: z.int().optional().meta({ description: 'Absent with a `decay` other than `step`.' }),
  },
  count: {
    type: 'double',
    schema: z.number().meta({ description: 'How many are within reach; with a decay, their sum.' }),
  },
});
const { minutes: _, ...others } = counts.members;
const decayedCounts = new Columns<Count>(others);

export const opportunityCount = rowSchema(counts).meta({
  id: 'OpportunityCount',
  description: 'A count of opportunities within reach of a block, by one mode.',
});

export function accessColumns({ decay }: Pick<AccessQuery, 'decay'>): Columns<Count> {
  return decay ? decayedCounts : counts;
}

const CURVE: readonly Minutes[] = Array.from({ length: MINUTES.most }, (_, i) => i + 1);

export function requestedAccess(
  release: Release,
  asked: AccessParams,
  part: 'query' | 'body' = 'query',
): { access: AccessQuery; resolved: Readonly<Record<string, unknown>> } {
  const { direction, minutes, curve } = asked;
  checkDirection(release, direction);
  const modes = modePositions(release, asked.mode, part);
  const of = asked.of ?? [PEOPLE.weight];
  const opportunities = requestedOpportunities(release, of, direction, part);
  if (minutes) checkPoiMinutes(opportunities, minutes, [part, 'minutes']);
  const decay = decayOf(asked.decay) ?? null;
  const conflict = (name: string, msg: string) => invalidParameter([part, name], msg, 'conflict');
  if (minutes && curve) throw conflict('minutes', 'send minutes or curve, but not both');
  if (decay && (minutes || curve)) {
    throw conflict(
      minutes ? 'minutes' : 'curve',
      'applies only to decay=step: other decays count by the time itself',
    );
  }
  const levels = decay ? [] : (minutes ?? (curve ? CURVE : DEFAULT_MINUTES));
  return {
    access: {
      modes,
      direction,
      opportunities,
      levels,
      decay,
    },
    resolved: {
      mode: modeLabels(release, modes),
      direction,
      of: opportunities.map((one) => one.of),
      levels,
      decay: decay ? asked.decay : undefined,
    },
  };
}

/**
 * Returns the counts of a block, ordered by opportunity, mode and minutes, without modes that could
 * not be routed from the block. The number of rows follows from the request, so nothing is read to
 * determine it. `origin`: the members that identify the origin in a batch.
 */
export function accessOf(
  block: OriginBlock,
  { modes, direction, opportunities, levels, decay }: AccessQuery,
  { columns, name } = NO_ORIGIN,
): FoundRows {
  const labels = block.release.services.map(({ mode }) => mode);
  const routed = modes.filter(
    (mode) => unroutedReason(block.index, block.ordinal, labels[mode]) === null,
  );
  const poiLevels = levels.filter((level) => level <= MAX_POI_MINUTES);
  const levelsOf = ({ types }: Opportunity) => (types === null ? levels : poiLevels);
  const rowsByMode = opportunities.reduce(
    (sum, one) => sum + (decay ? 1 : levelsOf(one).length),
    0,
  );
  let counts: Promise<CountsByTime[][]> | undefined;
  const count = () => {
    counts ??= countOpportunities(block, routed, opportunities, direction);
    return counts;
  };
  return {
    count: rowsByMode * routed.length,
    async prepare() {
      await count();
    },
    async addTo(target) {
      const addRow = target.of(columns, accessColumns({ decay }));
      const add = (row: Count) => {
        addRow(name, row);
        return block.release.turns.yieldIfOverdue();
      };
      const byMode = await count();
      for (const [i, opportunity] of opportunities.entries()) {
        const { of } = opportunity;
        const known = levelsOf(opportunity);
        for (const [m, position] of routed.entries()) {
          const mode = labels[position];
          if (decay) {
            const pause = add({ of, mode, count: byMode[m][i].decayed(decay) });
            if (pause) await pause;
            continue;
          }
          const within = byMode[m][i].within(known);
          for (const [l, minutes] of known.entries()) {
            const pause = add({ of, mode, minutes, count: within[l] });
            if (pause) await pause;
          }
        }
      }
    },
  };
}

import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { LocatedBlock } from './located-block.ts';
import { leavesAskedFor, modeLabels, modePositions } from './modes-and-types.ts';

/** Which cells of a block's nearest times are wanted. */
export interface SummaryFilter {
  /** Positions among the release's modes, ascending. */
  readonly modes: readonly number[];
  /** Leaf types asked for; undefined for all. */
  readonly types: ReadonlySet<DestTypeId> | undefined;
}

/** The cells that a request asks for, and how a canonical request spells them. */
export function askedCells(
  release: Release,
  query: {
    readonly mode?: readonly Mode[] | undefined;
    readonly type?: readonly DestTypeId[] | undefined;
  },
  part: 'query' | 'body' = 'query',
): { filter: SummaryFilter; spelled: { mode: readonly Mode[]; type: readonly DestTypeId[] } } {
  const types = leavesAskedFor(release, query.type, part);
  const modes = modePositions(release, query.mode, part);
  return {
    filter: { modes, types: types && new Set(types) },
    // What a column of the nearest object means comes from the release, so both are spelled out.
    spelled: { mode: modeLabels(release, modes), type: types ?? release.taxonomy.leafIds },
  };
}

export interface CategoryTime {
  readonly dest_type_id: DestTypeId;
  readonly mode: Mode;
  readonly travel_time: number;
}

/** A block's summary rows: mode id, then type id. At most one range read. */
export async function summaryOf(
  { release, county, index, ordinal }: LocatedBlock,
  { modes, types }: SummaryFilter,
): Promise<CategoryTime[]> {
  if (!index.isRoutable(ordinal)) return [];
  const times = await release.nearest(county, ordinal);
  const { leafIds } = release.taxonomy;
  const rows: CategoryTime[] = [];
  for (const mode of modes) {
    const label = release.manifest.modes[mode];
    for (let leaf = 0; leaf < leafIds.length; leaf++) {
      const tenths = times[mode * leafIds.length + leaf];
      if (tenths === 0 || types?.has(leafIds[leaf]) === false) continue;
      rows.push({ dest_type_id: leafIds[leaf], mode: label, travel_time: tenths / 10 });
    }
  }
  return rows;
}

/** What a summary says of its block. */
export function blockMetadata({ index, ordinal, geoid }: LocatedBlock) {
  return {
    geoid,
    population: index.population(ordinal),
    land_area_m2: index.landArea(ordinal),
  };
}

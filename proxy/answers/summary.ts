import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { ByteText } from '../formats/byte-text.ts';
import type { FoundRows } from '../formats/rows.ts';
import type { LocatedBlock } from './located-block.ts';
import { leavesAskedFor, modeLabels, modePositions } from './modes-and-types.ts';
import { originText } from './origin-text.ts';
import { timeEnds } from './time-texts.ts';
import { typeTexts } from './type-texts.ts';

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

/** Cells of a block's nearest times, by mode id, then type id. */
export interface SummaryCells {
  readonly release: Release;
  /** All cells of the block, as the release has them. */
  readonly times: Uint16Array;
  /** Those that are wanted, ascending. */
  readonly columns: readonly number[];
}

/** The cells of a block that are wanted and have a time. At most one range read. */
export async function summaryOf(
  { release, county, index, ordinal }: LocatedBlock,
  { modes, types }: SummaryFilter,
): Promise<SummaryCells> {
  if (!index.isRoutable(ordinal)) return { release, times: new Uint16Array(0), columns: [] };
  const times = await release.nearest(county, ordinal);
  const { leafIds } = release.taxonomy;
  const columns: number[] = [];
  for (const mode of modes) {
    for (let leaf = 0; leaf < leafIds.length; leaf++) {
      const column = mode * leafIds.length + leaf;
      if (times[column] > 0 && types?.has(leafIds[leaf]) !== false) columns.push(column);
    }
  }
  return { release, times, columns };
}

/** What a cell is of: the mode, and the type. */
export function cellOf(
  { manifest, taxonomy: { leafIds } }: Release,
  column: number,
): { mode: Mode; type: DestTypeId } {
  const mode = Math.floor(column / leafIds.length);
  return { mode: manifest.modes[mode], type: leafIds[column - mode * leafIds.length] };
}

/** Writes cells as rows. `origin`: the members that say which of several origins they are from. */
export function summaryRows(
  { release, times, columns }: SummaryCells,
  origin: object = {},
): FoundRows {
  return {
    count: columns.length,
    async addTo(rows) {
      const { format } = rows;
      const before = format.begin(0, 0) + originText(format, origin);
      const [typeText, ends] = [typeTexts(format), timeEnds(format)];
      const leaves = release.taxonomy.leafIds.length;
      /** By leaf type, for the rows of all modes: texts that are joined twice cost twice. */
      const begins: ByteText[] = new Array(leaves);
      for (const column of columns) {
        const { mode, type } = cellOf(release, column);
        const leaf = column % leaves;
        begins[leaf] ??= before + typeText(type);
        rows.add(begins[leaf] + ends[mode][times[column]]);
      }
    },
  };
}

/** What a summary says of its block. */
export function blockMetadata({ index, ordinal, geoid }: LocatedBlock) {
  return {
    geoid,
    population: index.population(ordinal),
    land_area_m2: index.landArea(ordinal),
  };
}

import { type BlockIndex, linkModeOf } from '../blocks/block-index.ts';
import { geoidFromNumber } from '../geoid.ts';
import type { Matrix } from '../matrix/matrix.ts';
import type { ModeRow } from '../matrix/row-codec.ts';
import type { Mode } from '../modes.ts';
import type { Findings } from './finding.ts';
import { slowerThanWalking } from './row-rules.ts';

/**
 * Checks rules that hold for rows from any block: transit is never slower than walking, and a block
 * without a street has no rows. `index` is null if it is not sound; `nameOf` returns the name of a
 * target for findings.
 */
export function originRowCheck(
  matrix: Matrix,
  modes: readonly Mode[],
  index: BlockIndex | null,
  findings: Findings,
  nameOf: (target: number) => string,
): (ordinal: number, rows: readonly ModeRow[]) => void {
  const [walk, transit] = [modes.indexOf('walk'), modes.indexOf('transit')];
  return (ordinal, rows) => {
    const block = () => `block ${geoidFromNumber(matrix.origins[ordinal])}`;
    const late = transit === -1 ? -1 : slowerThanWalking(rows[walk], rows[transit]);
    if (late !== -1) {
      const pair = () => `${block()} to ${nameOf(matrix.targets[late])}`;
      findings.add('later by transit than on foot', pair);
    }
    modes.forEach((mode, m) => {
      if (!index || rows[m].targets.length === 0) return;
      if (index.link(ordinal, linkModeOf(mode)).status === 'linked') return;
      findings.add('rows of a block without a street', () => `${block()}, ${mode}`);
    });
  };
}

import { useState } from 'preact/hooks';
import { count } from '../../parts/formats.ts';
import { UNROUTED } from '../blocks/block-bands.ts';
import { classWords, geoidText } from '../blocks/block-files.ts';
import type { BlocksInView } from '../blocks/use-blocks-in-view.ts';

/** Rows that a table shows; files have all. */
const MAX_ROWS = 200;

const COLUMNS = [
  ['geoid', 'Block'],
  ['people', 'People'],
  ['minutes', 'Minutes'],
] as const;
type Column = (typeof COLUMNS)[number][0];

/** The blocks in view as a table that can be sorted: the map without seeing it. */
export function BlockTable({ view }: { readonly view: BlocksInView }) {
  const [by, setBy] = useState<{ column: Column; isDown: boolean }>({
    column: 'people',
    isDown: true,
  });
  const rows = sorted(view, by.column, by.isDown).slice(0, MAX_ROWS);
  const { coloured, seen } = view;
  const sortBy = (column: Column) =>
    setBy({ column, isDown: by.column === column ? !by.isDown : column === 'people' });
  return (
    <details class="block-table">
      <summary>Blocks in view as a table</summary>
      <p class="quiet">
        {seen.length > MAX_ROWS
          ? `The first ${MAX_ROWS} of ${count(seen.length)} blocks; the CSV file has all.`
          : `${count(seen.length)} blocks.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="block-rows" aria-label="Blocks in view" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {COLUMNS.map(([column, name]) => (
                <th
                  key={column}
                  scope="col"
                  aria-sort={
                    by.column === column ? (by.isDown ? 'descending' : 'ascending') : 'none'
                  }
                >
                  <button type="button" onClick={() => sortBy(column)}>
                    {name}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((i) => (
              <tr key={coloured.geoids[i]}>
                <th scope="row" class="mono">
                  {geoidText(coloured.geoids[i])}
                </th>
                <td class="number">{count(coloured.population[i] ?? 0)}</td>
                <td>{classWords(coloured.classes[i])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

/** Positions of the blocks in view by a column; blocks without a street near are the farthest. */
function sorted({ coloured, seen }: BlocksInView, column: Column, isDown: boolean): number[] {
  const rankOf = (i: number): number => {
    if (column === 'geoid') return coloured.geoids[i];
    if (column === 'people') return coloured.population[i] ?? 0;
    return coloured.classes[i] === UNROUTED ? Number.POSITIVE_INFINITY : coloured.classes[i];
  };
  const sign = isDown ? -1 : 1;
  return seen.toSorted((a, b) => {
    const [x, y] = [rankOf(a), rankOf(b)];
    return x === y ? coloured.geoids[a] - coloured.geoids[b] : sign * (x < y ? -1 : 1);
  });
}

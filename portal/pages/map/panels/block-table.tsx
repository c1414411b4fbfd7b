import { useState } from 'preact/hooks';
import { count } from '../../formats.ts';
import { geoidText } from '../blocks/block-bands.ts';
import type { BlockColumn, BlockList } from '../blocks/block-lists.ts';

/** Maximum number of rows in a table; files have all. */
const MAX_ROWS = 200;
/** The column by which a table is initially sorted, largest first. */
const PEOPLE = 'People';

/** A sortable table of the blocks that a view shows, for users who cannot see the map. */
export function BlockTable({ list }: { readonly list: BlockList }) {
  // Rows are only drawn while the table is open, since a slider changes them often.
  const [isOpen, setOpen] = useState(false);
  const [by, setBy] = useState({ title: PEOPLE, isDown: true });
  const { blocks, listed, where } = list;
  const columns: readonly (BlockColumn & { readonly isNumber?: boolean })[] = [
    {
      title: PEOPLE,
      textOf: (i) => count(blocks.population[i] ?? 0),
      rankOf: (i) => blocks.population[i] ?? 0,
      isNumber: true,
    },
    ...list.columns,
  ];
  const sorted = columns.find(({ title }) => title === by.title);
  const rankOf = sorted?.rankOf ?? ((i: number) => blocks.geoids[i]);
  const rows = isOpen
    ? listed.toSorted(order(blocks.geoids, rankOf, by.isDown)).slice(0, MAX_ROWS)
    : [];
  const sortBy = (title: string) =>
    setBy({ title, isDown: by.title === title ? !by.isDown : title === PEOPLE });
  return (
    <details class="block-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Blocks {where} as a table</summary>
      <p class="quiet">
        {listed.length > MAX_ROWS
          ? `The first ${MAX_ROWS} of ${count(listed.length)} blocks; the CSV file has all.`
          : `${count(listed.length)} blocks.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="block-rows" aria-label={`Blocks ${where}`} tabIndex={0}>
        <table>
          <TableHead
            titles={['Block', ...columns.map(({ title }) => title)]}
            by={by}
            onSort={sortBy}
          />
          <tbody>
            {rows.map((i) => (
              <tr key={blocks.geoids[i]}>
                <th scope="row" class="mono">
                  {geoidText(blocks.geoids[i])}
                </th>
                {columns.map(({ title, textOf, isNumber }) => (
                  <td key={title} class={isNumber ? 'number' : undefined}>
                    {textOf(i)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

/** Heads of columns, each a button that sorts by its column. */
function TableHead(props: {
  readonly titles: readonly string[];
  readonly by: { readonly title: string; readonly isDown: boolean };
  readonly onSort: (title: string) => void;
}) {
  const { titles, by, onSort } = props;
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th
            key={title}
            scope="col"
            aria-sort={by.title === title ? (by.isDown ? 'descending' : 'ascending') : 'none'}
          >
            <button type="button" onClick={() => onSort(title)}>
              {title}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Returns a comparator of positions by rank, then by GEOID. */
function order(geoids: Float64Array, rankOf: (i: number) => number, isDown: boolean) {
  const sign = isDown ? -1 : 1;
  return (a: number, b: number): number => {
    const [x, y] = [rankOf(a), rankOf(b)];
    return x === y ? geoids[a] - geoids[b] : sign * (x < y ? -1 : 1);
  };
}

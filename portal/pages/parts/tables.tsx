import type { ComponentChildren } from 'preact';

/** The head of a column, its cell in a row, and the class of both. */
export type Column<Row> = readonly [
  head: string,
  cell: (row: Row) => ComponentChildren,
  kind?: 'number' | 'day' | 'action',
];

interface Rows<Row> {
  /** The first one names the rows. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** A table, scrollable if it is too wide, also by keyboard. */
export function WideTable<Row>(props: Rows<Row> & { readonly label: string }) {
  const { label, columns, rows } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="wide" aria-label={label} tabIndex={0}>
      <table>
        <caption class="unseen">{label}</caption>
        <Head columns={columns} />
        <tbody>
          {rows.map((row, i) => (
            <Cells key={i} columns={columns} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A table whose cells are one below the other on a phone. */
export function StackingTable<Row extends { readonly id: string }>({ columns, rows }: Rows<Row>) {
  return (
    <table class="stacking">
      <Head columns={columns} />
      <tbody>
        {rows.map((row) => (
          <Cells key={row.id} columns={columns} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Head<Row>({ columns }: Pick<Rows<Row>, 'columns'>) {
  return (
    <thead>
      <tr>
        {columns.map(([head, , kind]) => (
          <th key={head} scope="col" class={kind}>
            {kind === 'action' ? <span class="unseen">{head}</span> : head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Cells<Row>({ columns, row }: Pick<Rows<Row>, 'columns'> & { readonly row: Row }) {
  const [[, nameOf], ...others] = columns;
  return (
    <tr>
      <th scope="row">{nameOf(row)}</th>
      {others.map(([head, cell, kind]) => (
        <td key={head} class={kind} data-name={kind === 'action' ? undefined : head}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

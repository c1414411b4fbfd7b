export function SumsTable(props: {
  readonly caption: string;
  /** Heads of the column of names, and of each column of figures. */
  readonly heads: readonly string[];
  readonly rows: readonly {
    readonly name: string | number;
    /** Tells the row from others of its name. */
    readonly key?: string | number;
    readonly figures: readonly string[];
  }[];
}) {
  const { caption, heads, rows } = props;
  return (
    <table class="sums">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {heads.map((head, i) => (
            <th key={head} scope="col" class={i === 0 ? '' : 'number'}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, key = name, figures }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            {figures.map((figure, i) => (
              <td key={heads[i + 1]} class="number">
                {figure}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

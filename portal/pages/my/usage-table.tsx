import type { UsageDay } from '../../answers.ts';
import { count, dayOf } from '../parts/formats.ts';
import { WideTable } from '../parts/wide-table.tsx';

/** The usage in figures, the newest day first. */
export function UsageTable(props: {
  readonly rows: readonly UsageDay[];
  readonly keyName: (row: UsageDay) => string;
}) {
  const { rows, keyName } = props;
  return (
    <details class="behind">
      <summary>The same as a table</summary>
      <WideTable label="Usage by day, key and route">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Key</th>
            <th scope="col">Route</th>
            <th scope="col" class="number">
              Requests
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map((row) => (
            <tr key={`${row.day} ${row.key_id} ${row.route}`}>
              <th scope="row">{dayOf(row.day)}</th>
              <td>{keyName(row)}</td>
              <td>
                <code>{row.route}</code>
              </td>
              <td class="number">{count(row.requests)}</td>
              <td class="number">{count(row.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </details>
  );
}

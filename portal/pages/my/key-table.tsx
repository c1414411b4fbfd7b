import type { Key } from '../../responses.ts';
import { dateOf, momentOf } from '../formats.ts';

/** Table of keys with their details and, if a handler is given, a way to revoke them. */
export function KeyTable(props: {
  readonly keys: readonly Key[];
  readonly onRevoke?: (key: Key) => void;
}) {
  const { keys, onRevoke } = props;
  if (keys.length === 0) return <p class="card empty">No keys yet.</p>;
  const lastColumn = onRevoke ? 'Last used' : 'Revoked';
  return (
    <table class="stacking">
      <thead>
        <tr>
          <th scope="col">Label</th>
          <th scope="col">Prefix</th>
          <th scope="col">Created</th>
          <th scope="col">{lastColumn}</th>
          {onRevoke && (
            <th scope="col">
              <span class="unseen">Action</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">
              {key.label || <span class="quiet">no label</span>}
              {key.disabled && <span class="tag">disabled</span>}
            </th>
            <td data-name="Prefix">
              <code>{key.prefix}…</code>
            </td>
            <td data-name="Created">{dateOf(key.created_at)}</td>
            <td data-name={lastColumn}>{lastMoment(key)}</td>
            {onRevoke && (
              <td class="action">
                <button
                  type="button"
                  class="button button-small"
                  aria-label={`Revoke ${key.label || key.prefix}`}
                  onClick={() => onRevoke(key)}
                >
                  Revoke
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function lastMoment({ revoked_at, last_used_at }: Key): string {
  if (revoked_at) return momentOf(revoked_at);
  return last_used_at ? momentOf(last_used_at) : 'never';
}

import { useState } from 'preact/hooks';
import { portalConfig } from '../api/portal.ts';
import { destinationTypes, summaryWithKey } from '../api/service.ts';
import { counted } from '../parts/formats.ts';
import { Notice } from '../parts/notice.tsx';

const SHOWN = 8;

interface Outcome {
  readonly status: number;
  readonly charged: number;
  readonly remaining: number;
  readonly rows: readonly { readonly name: string; readonly minutes: number }[];
}

/** Sends the request from the browser, and shows the response and its price. */
export function TryIt({ url, apiKey }: { readonly url: string; readonly apiKey: string }) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    if (isBusy) return;
    setFault(apiKey === '' ? 'Enter your API key first.' : '');
    setOutcome(null);
    if (apiKey === '') return;
    setBusy(true);
    try {
      setOutcome(await outcomeOf(url, apiKey));
    } catch (error) {
      if (error instanceof Error) setFault(error.message);
    }
    setBusy(false);
  };
  return (
    <div class="try">
      <div class="try-line">
        <code>GET {url}</code>
        <button
          type="button"
          class="button button-main"
          aria-disabled={isBusy}
          onClick={() => void send()}
        >
          {isBusy ? 'Sending …' : 'Send'}
        </button>
      </div>
      {fault && <Notice kind="fault">{fault}</Notice>}
      <div role="status">{outcome && <Answer {...outcome} />}</div>
    </div>
  );
}

function Answer({ status, charged, remaining, rows }: Outcome) {
  const soonest = rows.toSorted((a, b) => a.minutes - b.minutes).slice(0, SHOWN);
  return (
    <div class="card">
      <p>
        <strong>{status}</strong>: {counted(rows.length, 'row')}, {counted(charged, 'token')}{' '}
        charged, {counted(remaining, 'token')} left.
      </p>
      <table class="nearest">
        <caption class="quiet">{soonest.length} nearest, on foot</caption>
        <tbody>
          {soonest.map(({ name, minutes }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{minutes.toFixed(1)} min</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function outcomeOf(url: string, apiKey: string): Promise<Outcome> {
  const { api_url } = await portalConfig();
  const [{ summary, ...facts }, types] = await Promise.all([
    summaryWithKey(url, apiKey),
    destinationTypes(api_url),
  ]);
  const names = new Map(types.map((type) => [type.dest_type_id, type.name]));
  const rows = summary.results.map(({ dest_type_id, travel_time }) => ({
    name: names.get(dest_type_id) ?? `type ${dest_type_id}`,
    minutes: travel_time,
  }));
  return { ...facts, rows };
}

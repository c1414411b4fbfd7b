import { useState } from 'preact/hooks';
import type { DataOf, Reply, Tokens } from '../../client/src/index.ts';
import { keylessClient } from '../api/clients.ts';
import { useAction } from '../api/use-action.ts';
import { counted } from '../formats.ts';
import { Notice } from '../parts/notice.tsx';

const SHOWN = 8;

type Summary = Reply<Pick<DataOf<'getBlockSummary'>, 'results'>>;

interface Outcome {
  readonly tokens: Tokens;
  readonly rows: readonly { readonly name: string; readonly minutes: number }[];
}

/** Sends the request from the browser, and shows the response and its price. */
export function TryIt(props: { readonly url: string; readonly send: () => Promise<Summary> }) {
  const { url, send } = props;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { isBusy, fault, run } = useAction();
  const request = async () => {
    setOutcome(null);
    const [{ data, tokens }, types] = await Promise.all([
      send(),
      keylessClient.getDestinationTypes(),
    ]);
    const named = types.data.destination_types.map((type) => [type.dest_type_id, type.name]);
    const names = new Map(named as [number, string][]);
    const rows = data.results.map(({ dest_type_id, travel_time }) => ({
      name: names.get(dest_type_id) ?? `type ${dest_type_id}`,
      minutes: travel_time,
    }));
    setOutcome({ tokens, rows });
  };
  return (
    <div class="try">
      <div class="try-line">
        <code>GET {url}</code>
        <button
          type="button"
          class="button button-main"
          aria-disabled={isBusy}
          onClick={() => void run(request)}
        >
          {isBusy ? 'Sending …' : 'Send'}
        </button>
      </div>
      {fault && <Notice kind="fault">{fault}</Notice>}
      <div role="status">{outcome && <Response {...outcome} />}</div>
    </div>
  );
}

function Response({ tokens: { charged, remaining }, rows }: Outcome) {
  const soonest = rows.toSorted((a, b) => a.minutes - b.minutes).slice(0, SHOWN);
  return (
    <div class="card">
      <p>
        {counted(rows.length, 'row')}, {counted(charged, 'token')} charged
        {remaining !== null && `, ${counted(remaining, 'token')} left`}.
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

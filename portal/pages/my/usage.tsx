import { useId, useState } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Key, UsageDay } from '../../responses.ts';
import { keys, usage } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { count, counted, dayOf } from '../formats.ts';
import { Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { WideTable } from '../parts/tables.tsx';
import { Link } from '../router/link.tsx';
import { divideUsage, lastDays } from './divided-usage.ts';
import { UsageChart } from './usage-chart.tsx';

function Choice<Value extends string | number>(props: {
  readonly label: string;
  readonly options: Readonly<Record<string, Value>>;
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  const { label, options, chosen, onChoose } = props;
  const id = useId();
  return (
    <span class="choice">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={Object.keys(options).find((name) => options[name] === chosen)}
        onChange={({ currentTarget }) => onChoose(options[currentTarget.value])}
      >
        {Object.keys(options).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

function UsageTable(props: {
  readonly rows: readonly UsageDay[];
  readonly keyName: (row: UsageDay) => string;
}) {
  const { rows, keyName } = props;
  return (
    <details class="behind">
      <summary>View as table</summary>
      <WideTable
        label="Usage by day, key and route"
        rows={rows.toReversed()}
        columns={[
          ['Day (UTC)', ({ day }) => dayOf(day)],
          ['Key', keyName],
          ['Route', ({ route }) => <code>{route}</code>],
          ['Requests', ({ requests }) => count(requests), 'number'],
          ['Tokens', ({ tokens }) => count(tokens), 'number'],
        ]}
      />
    </details>
  );
}

const SPANS = { 'last 7': 7, 'last 30': 30, 'last 90': 90 };
const DIVISIONS = { none: 'together', key: 'key', route: 'route' } as const;
type Division = (typeof DIVISIONS)[keyof typeof DIVISIONS];

export function Usage() {
  const [span, setSpan] = useState(30);
  const [division, setDivision] = useState<Division>('together');
  const loaded = useLoaded(async () => {
    const days = lastDays(span, Date.now());
    const [rows, ofAccount] = await Promise.all([usage(days[0], days[span - 1]), keys()]);
    return { days, rows, ofAccount };
  }, [span]);
  const choices = (
    <div class="choices">
      <Choice label="Days" options={SPANS} chosen={span} onChoose={setSpan} />
      <Choice label="Group by" options={DIVISIONS} chosen={division} onChoose={setDivision} />
    </div>
  );
  return (
    <Section id="usage" title="Usage" aside={choices}>
      <Shown of={loaded} what="usage">
        {({ days, rows, ofAccount }) => {
          const divided = divideUsage(rows, days, namer(division, ofAccount));
          if (divided.requests === 0) return <NothingYet days={days.length} />;
          return (
            <>
              <p role="status">
                {counted(divided.tokens, 'token')} for {counted(divided.requests, 'request')} in the
                last {days.length} days.
              </p>
              <UsageChart usage={divided} />
              <UsageTable rows={rows} keyName={namer('key', ofAccount)} />
            </>
          );
        }}
      </Shown>
    </Section>
  );
}

function NothingYet({ days }: { readonly days: number }) {
  return (
    <div class="card empty">
      <p>No requests were charged in the last {days} days.</p>
      <p>
        <Link to={PAGE_PATHS.keys}>Create a key</Link>, then{' '}
        <Link to={PAGE_PATHS.firstRequest}>make your first request</Link>.
      </p>
    </div>
  );
}

function namer(division: Division, ofAccount: readonly Key[]): (row: UsageDay) => string {
  if (division === 'together') return () => 'all requests';
  if (division === 'route') return ({ route }) => route;
  const names = new Map(ofAccount.map(({ id, label, prefix }) => [id, label || `${prefix}…`]));
  names.set('browser-token', 'browser (pages)');
  return ({ key_id }) => names.get(key_id) ?? key_id;
}

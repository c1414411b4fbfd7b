import { useState } from 'preact/hooks';
import type { Key, UsageDay } from '../../answers.ts';
import { PAGE_PATHS } from '../../page-paths.ts';
import { keys, usage } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { counted } from '../parts/formats.ts';
import { Section } from '../parts/section.tsx';
import { Shown } from '../parts/shown.tsx';
import { Link } from '../router/link.tsx';
import { Choice } from './choice.tsx';
import { divideUsage, lastDays } from './divided-usage.ts';
import { UsageChart } from './usage-chart.tsx';
import { UsageTable } from './usage-table.tsx';

const SPANS = { 'last 7': 7, 'last 30': 30, 'last 90': 90 };
const DIVISIONS = { together: 'together', 'by key': 'key', 'by route': 'route' } as const;
type Division = (typeof DIVISIONS)[keyof typeof DIVISIONS];

/** Tokens by day, told apart by key or route as wanted: a chart, and the table behind it. */
export function Usage() {
  const [span, setSpan] = useState(30);
  const [division, setDivision] = useState<Division>('together');
  const loaded = useLoaded(async () => {
    const days = lastDays(span, Date.now());
    const [rows, ofAccount] = await Promise.all([usage(days[0], days[span - 1]), keys()]);
    return { days, rows, ofAccount };
  }, span);
  const choices = (
    <div class="choices">
      <Choice label="Days" options={SPANS} chosen={span} onChoose={setSpan} />
      <Choice label="Shown" options={DIVISIONS} chosen={division} onChoose={setDivision} />
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
      <p>No request was charged in the last {days} days.</p>
      <p>
        <Link to={PAGE_PATHS.keys}>Make a key</Link>, then{' '}
        <Link to={PAGE_PATHS.firstRequest}>a first request</Link>.
      </p>
    </div>
  );
}

function namer(division: Division, ofAccount: readonly Key[]): (row: UsageDay) => string {
  if (division === 'together') return () => 'all requests';
  if (division === 'route') return ({ route }) => route;
  const names = new Map(ofAccount.map(({ id, label, prefix }) => [id, label || `${prefix}…`]));
  return ({ key_id }) => names.get(key_id) ?? key_id;
}

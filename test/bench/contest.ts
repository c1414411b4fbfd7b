import { figure, median } from './figure.ts';
import { CONNECTIONS, type Load, load, type Target } from './wrk.ts';

/** A server, and the requests it is measured with. */
export interface Contestant {
  readonly address: string;
  readonly targets: readonly Target[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

const SECONDS = 4;

/**
 * Loads servers in turn, several rounds, so that what disturbs the machine disturbs all alike, and
 * prints the median rate and latency of each. `over` names pairs whose ratio of rates, round by
 * round, is printed too.
 */
export async function contest<Name extends string>(
  title: string,
  contestants: Readonly<Record<Name, Contestant>>,
  over: readonly (readonly [Name, Name])[],
  rounds = 3,
): Promise<void> {
  const names = Object.keys(contestants) as Name[];
  const measured: Record<Name, Load>[] = [];
  for (let round = 0; round <= rounds; round++) {
    const loads: Partial<Record<Name, Load>> = {};
    for (const name of names) {
      const { address, targets, headers } = contestants[name];
      loads[name] = await load(address, targets, { seconds: SECONDS, headers });
    }
    // The first round warms up.
    if (round > 0) measured.push(loads as Record<Name, Load>);
  }
  for (const name of names) {
    const middle = (member: keyof Load) => median(measured.map((loads) => loads[name][member]));
    figure(`${title}.${name}`, middle('rate'), '1/s', {
      p50_ms: middle('p50'),
      p99_ms: middle('p99'),
      connections: CONNECTIONS,
      targets: contestants[name].targets.length,
    });
  }
  for (const [ours, theirs] of over) {
    const ratio = median(measured.map((loads) => loads[ours].rate / loads[theirs].rate));
    figure(`${title}.${ours}_over_${theirs}`, ratio, 'ratio', { connections: CONNECTIONS });
  }
}

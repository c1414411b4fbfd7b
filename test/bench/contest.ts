import { figure, median } from './figure.ts';
import { processorSeconds } from './processor-time.ts';
import { CONNECTIONS, type Load, load, type Target } from './wrk.ts';

/** A server, and the requests it is measured with. */
export interface Contestant {
  readonly address: string;
  /** Its processes, where what they and those below them take is to be told. */
  readonly pids?: readonly number[];
  readonly targets: readonly Target[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

const SECONDS = 4;

/** A load, and the processor time of the server a request: what a busy machine changes least. */
interface Round extends Load {
  readonly processorMicros: number | undefined;
}

/**
 * Loads servers in turn, several rounds, so that what disturbs the machine disturbs all alike, and
 * prints the median rate and latency of each. `over` names pairs whose ratio of rates, round by
 * round, is printed too, and how many requests the first answers in the processor time of one of
 * the second.
 */
export async function contest<Name extends string>(
  title: string,
  contestants: Readonly<Record<Name, Contestant>>,
  over: readonly (readonly [Name, Name])[],
  rounds = 3,
): Promise<void> {
  const names = Object.keys(contestants) as Name[];
  const measured: Record<Name, Round>[] = [];
  for (let round = 0; round <= rounds; round++) {
    const loads: Partial<Record<Name, Round>> = {};
    for (const name of names) loads[name] = await loaded(contestants[name]);
    // The first round warms up.
    if (round > 0) measured.push(loads as Record<Name, Round>);
  }
  for (const name of names) {
    const middle = (member: keyof Load) => median(measured.map((loads) => loads[name][member]));
    const micros = measured.flatMap((loads) => loads[name].processorMicros ?? []);
    figure(`${title}.${name}`, middle('rate'), '1/s', {
      p50_ms: middle('p50'),
      p99_ms: middle('p99'),
      ...(micros.length > 0 && { processor_us_a_request: Math.round(median(micros)) }),
      connections: CONNECTIONS,
      targets: contestants[name].targets.length,
    });
  }
  for (const [ours, theirs] of over) {
    const ratio = median(measured.map((loads) => loads[ours].rate / loads[theirs].rate));
    const spared = measured.flatMap((loads) => {
      const [our, their] = [loads[ours].processorMicros, loads[theirs].processorMicros];
      return our && their ? [their / our] : [];
    });
    figure(`${title}.${ours}_over_${theirs}`, ratio, 'ratio', {
      connections: CONNECTIONS,
      ...(spared.length > 0 && { by_processor_time: Number(median(spared).toPrecision(3)) }),
    });
  }
}

async function loaded({ address, pids = [], targets, headers }: Contestant): Promise<Round> {
  const before = await secondsOf(pids);
  const measured = await load(address, targets, { seconds: SECONDS, headers });
  const seconds = (await secondsOf(pids)) - before;
  const processorMicros = pids.length > 0 ? (seconds / measured.requests) * 1e6 : undefined;
  return { ...measured, processorMicros };
}

async function secondsOf(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(processorSeconds));
  return each.reduce((sum, seconds) => sum + seconds, 0);
}

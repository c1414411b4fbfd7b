import { figure, median } from './figure.ts';
import { processorSeconds } from './processor-time.ts';
import { CONNECTIONS, type Load, load, type Target } from './wrk.ts';

/** A server, and the requests it is measured with. */
export interface Contestant {
  readonly address: string;
  /** Its root processes, if the processor time of their process trees is to be reported. */
  readonly pids?: readonly number[];
  readonly targets: readonly Target[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

const SECONDS = 4;

/**
 * A load, and the server's processor time per request: the figure least affected by a busy machine.
 */
interface Round extends Load {
  readonly processorMicros: number | undefined;
}

/**
 * Loads servers in turn, for several rounds, so that disturbances of the machine affect all alike.
 * Prints the median rate and latency of each server. For each pair in `over`, also prints the
 * median over the rounds of the ratio of their rates, and how many requests the first serves in the
 * processor time of one request of the second.
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

async function loaded({ address, pids = [], targets, headers = {} }: Contestant): Promise<Round> {
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

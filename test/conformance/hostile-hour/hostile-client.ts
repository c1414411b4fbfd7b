import { setPriority } from 'node:os';
import { rowsIn } from '../fuzz/worth.ts';
import type { WireResponse } from '../response-reader.ts';
import { ATTACKS, type HostileAccount, type Targets } from './attacks.ts';
import { HostileConnection } from './hostile-connection.ts';

/** The program's input. */
export interface HostileOrders extends Targets {
  readonly keys: Readonly<Record<HostileAccount, string>>;
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Scheduling priority of the program, if not that of its parent. */
  readonly priority?: number;
}

/** The program's report. */
export interface HostileReport {
  /** Runs of each attack. */
  readonly attacks: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<number, number>>;
  readonly largestError: number;
  /** The beginnings of responses over 499, except those of a service that sheds load. */
  readonly failures: readonly string[];
  /** Tokens charged for the responses received in full; a replay counts one token per row. */
  readonly delivered: Readonly<Record<HostileAccount, number>>;
  /** Bytes received, in complete and incomplete responses. */
  readonly received: Readonly<Record<HostileAccount, number>>;
}

/** Minimum number of runs of each attack, however slow the machine. */
const FEWEST_ROUNDS = 2;

process.once('message', async (orders: HostileOrders) => {
  if (orders.priority !== undefined) setPriority(orders.priority);
  process.send!(await attack(orders));
  process.disconnect();
});

/** Carries out the attacks of the table over and over; each connection takes the next in turn. */
async function attack(orders: HostileOrders): Promise<HostileReport> {
  const names = Object.keys(ATTACKS);
  const attacks = Object.fromEntries(names.map((name) => [name, 0]));
  const [delivered, received] = [nothingYet(), nothingYet()];
  const statuses: Record<number, number> = {};
  const failures: string[] = [];
  let largestError = 0;
  const see = ({ status, headers, body }: WireResponse, account: HostileAccount) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 400) largestError = Math.max(largestError, body.length);
    const isShed = status === 503 && 'retry-after' in headers;
    if (status >= 500 && !isShed) failures.push(`${status} ${body.subarray(0, 300)}`);
    const isRepeated = headers['idempotency-replayed'] === 'true';
    delivered[account] += isRepeated
      ? rowsIn(headers['content-type'], body)
      : Number(headers['x-tokens-charged'] ?? 0);
  };
  const until = performance.now() + orders.seconds * 1000;
  const { keys, connections, port } = orders;
  let begun = 0;
  const lane = async () => {
    let account: HostileAccount = 'refused';
    const on = new HostileConnection(port, {
      seen: (response) => see(response, account),
      heard: (bytes) => {
        received[account] += bytes;
      },
    });
    while (performance.now() < until || begun < FEWEST_ROUNDS * names.length) {
      const name = names[begun % names.length];
      const round = Math.floor(begun / names.length);
      begun++;
      account = ATTACKS[name].as;
      await ATTACKS[name].run(on, { ...orders, key: keys[account], turn: round });
      attacks[name]++;
    }
    on.reset();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return { attacks, statuses, failures, largestError, delivered, received };
}

function nothingYet(): Record<HostileAccount, number> {
  return { refused: 0, paying: 0, neglecting: 0, breaking: 0, repeating: 0, leaving: 0 };
}

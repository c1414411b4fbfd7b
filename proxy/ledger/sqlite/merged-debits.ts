import type { AccountId } from '../accounts.ts';
import { dayOf, isTokens } from '../bookkeeping.ts';
import type { Charge } from '../metering.ts';
import { type DebitedRun, type DebitRun, debitsOf } from './balances.ts';
import type { Outcome, Write } from './operations.ts';

/** A group of changes in which each run of similar debits is merged into one change. */
interface MergedGroup {
  readonly writes: readonly Write[];
  /** Outcomes of the original changes, in their order, given those of `writes`. */
  outcomesOf(outcomes: readonly Outcome[]): readonly Outcome[];
}

interface Run extends DebitRun {
  readonly tokens: number[];
  readonly atMs: number[];
}

/** Position of a change in the merged group, and within its run if it is a debit. */
interface Place {
  readonly write: number;
  readonly inRun: number;
}

/**
 * Merges consecutive debits of an account that differ in tokens and time only: a client that sends
 * many requests at once then costs two statements per commit instead of two per request. Other
 * changes keep their order relative to every debit, and so do all changes of one account.
 */
export function mergeDebits(group: readonly Write[]): MergedGroup {
  const writes: Write[] = [];
  const places: Place[] = [];
  /** The last run of each account that further debits may join. */
  const open = new Map<AccountId, { run: Run; write: number }>();
  for (const { name, args } of group) {
    const charge = name === 'debit' ? (args[0] as Charge) : undefined;
    if (charge === undefined || !isTokens(charge.tokens) || Number.isNaN(charge.atMs)) {
      open.clear();
      places.push({ write: writes.length, inRun: 0 });
      writes.push({ name, args });
      continue;
    }
    const { account, keyId, route, tokens, atMs } = charge;
    const day = dayOf(atMs);
    const last = open.get(account);
    if (last && last.run.keyId === keyId && last.run.route === route && last.run.day === day) {
      places.push({ write: last.write, inRun: last.run.tokens.length });
      last.run.tokens.push(tokens);
      last.run.atMs.push(atMs);
      continue;
    }
    const run = { account, keyId, route, day, tokens: [tokens], atMs: [atMs] };
    open.set(account, { run, write: writes.length });
    places.push({ write: writes.length, inRun: 0 });
    writes.push({ name: 'debitRun', args: [run] });
  }
  const outcomesOf = (outcomes: readonly Outcome[]) => {
    const ofRuns = outcomes.map((outcome, write) => outcomesOfRun(outcome, writes[write]));
    return places.map(({ write, inRun }) => ofRuns[write]?.[inRun] ?? outcomes[write]);
  };
  return { writes, outcomesOf };
}

/** The outcome of each debit of a run; undefined if the write is not a run, or has failed. */
function outcomesOfRun(outcome: Outcome, { name, args }: Write): readonly Outcome[] | undefined {
  if (name !== 'debitRun' || 'error' in outcome) return undefined;
  const run = args[0] as DebitRun;
  return debitsOf(run, outcome.value as DebitedRun).map((value) => ({ value }));
}

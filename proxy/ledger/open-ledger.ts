import { retry } from '../../shards/concurrency/retry.ts';
import { type Ledger, type LedgerOptions, LedgerUnavailable } from './ledger.ts';
import { parseLedgerAddress } from './ledger-address.ts';
import { holdsLedger } from './sqlite/ledger-folder.ts';

/**
 * Whether there is no ledger at an address, so that opening it would create one. Only possible for
 * a folder: a Redis either exists or cannot be opened. Throws a `TypeError` for an invalid address.
 */
export function isMissingLedger(address: string): boolean {
  const parsed = parseLedgerAddress(address);
  return parsed.kind === 'sqlite' && !holdsLedger(parsed.directory);
}

/**
 * Opens a ledger by its address (`LEDGER_FORMS`). Rejects with a `TypeError` for an invalid
 * address, with `LedgerUnavailable` if the ledger cannot be opened.
 */
export async function openLedger(address: string, options: LedgerOptions): Promise<Ledger> {
  const parsed = parseLedgerAddress(address);
  // Loaded on demand, since an installation uses one kind.
  if (parsed.kind === 'sqlite') {
    const { openSqliteLedger } = await import('./sqlite/sqlite-ledger.ts');
    return openSqliteLedger(parsed.directory, options);
  }
  const { openRedisLedger } = await import('./redis/redis-ledger.ts');
  return openRedisLedger(parsed, options);
}

/** First and longest pause between attempts to open an unavailable ledger. */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [100, 500];

/**
 * Opens a ledger for a server that can answer some requests without it. A network ledger that is
 * unavailable is opened once it can be reached, and calls fail until then. Permanent errors, such
 * as a rejected password or an unwritable folder, reject as in `openLedger`.
 */
export function openLedgerToServe(address: string, options: LedgerOptions): Promise<Ledger> {
  const { warn = (words) => process.emitWarning(words) } = options;
  return openedOnceReachable(() => openLedger(address, options), warn);
}

/**
 * Opens a ledger with `open`. If it is unavailable, returns a proxy that opens it once it can be
 * reached and whose calls fail until then. Permanent errors reject.
 */
export async function openedOnceReachable(
  open: () => Promise<Ledger>,
  warn: (words: string) => void,
): Promise<Ledger> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof LedgerUnavailable && error.isAway)) throw error;
    return lateLedger(open, error, warn);
  }
}

/** Proxy for a ledger that could not be opened yet; delegates to it once it is open. */
function lateLedger(
  open: () => Promise<Ledger>,
  fault: LedgerUnavailable,
  warn: (words: string) => void,
): Ledger {
  let ledger: Ledger | undefined;
  let why = fault;
  const ending = new AbortController();

  const pauseAfter = (error: unknown, tries: number) => {
    if (!(error instanceof LedgerUnavailable)) throw error;
    // The ledger may be up by now, but reject us.
    if (!error.isAway && error.message !== why.message) warn(error.message);
    why = error;
    return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LAST_PAUSE_MS);
  };
  warn(`${why.message} Requests that need no account are served meanwhile.`);
  const opened = retry(open, pauseAfter, { signal: ending.signal }).then(
    (there) => {
      ledger = there;
    },
    (cause: Error) => {
      why = new LedgerUnavailable(`stopped trying to open the ledger: ${cause.message}`, { cause });
      if (!ending.signal.aborted) warn(why.message);
    },
  );

  const close = async () => {
    ending.abort();
    await opened;
    await ledger?.close();
  };
  return new Proxy({} as Ledger, {
    get(_, name) {
      if (name === 'close') return close;
      // `await` inspects a `then` property.
      if (name === 'then') return undefined;
      if (ledger === undefined) return () => Promise.reject(why);
      return Reflect.get(ledger, name).bind(ledger);
    },
  });
}

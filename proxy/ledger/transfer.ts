import { z } from 'zod';
import {
  ACTORS,
  type AccountRecords,
  AUDIT_EVENTS,
  type FormerMailbox,
  MEMBERSHIP_STATUSES,
} from './accounts.ts';
import type { Ledger } from './ledger.ts';
import type { PaymentEvent } from './payment-events.ts';
import { MAX_IDEMPOTENCY_KEY, type ReplayRecord } from './replays.ts';

/** Error for a file that is not an export, or is truncated; names the line. */
export class NotAnExport extends Error {
  override readonly name = 'NotAnExport';
}

export interface Transferred {
  readonly accounts: number;
  readonly tokens: number;
  /** Accounts that already existed and stayed unchanged. */
  readonly alreadyThere: number;
}

/** Closed events per line, and open ones read at a time. */
const EVENTS_AT_ONCE = 1_000;
/** Replays written at a time, since a ledger commits concurrent changes together. */
const REPLAYS_AT_ONCE = 64;

/**
 * Exports a ledger as lines of JSON: data that belongs to no account (secrets, mailboxes that have
 * had the sign-up grant), one replay per line, one account per line, payment events, and the counts
 * of these, by which a truncated file is detected. An account comes after its replays and before
 * the events, so that it is never used without what it has paid for.
 */
export async function* exportLines(
  ledger: Ledger,
  onAccount: (done: number) => void = () => {},
): AsyncGenerator<string, Transferred> {
  const head: Head = {
    ledger: EXPORT_VERSION,
    secrets: await ledger.secrets(),
    ...headOf(await ledger.formerMailboxes()),
  };
  yield JSON.stringify(head);
  let [accounts, tokens, replays, events] = [0, 0, 0, 0];
  for await (const { response, ...charge } of ledger.allReplays()) {
    const text = response && { ...response, gzip: Buffer.from(response.gzip).toString('base64') };
    yield JSON.stringify({ replay: { ...charge, response: text } });
    replays++;
  }
  for await (const { id } of ledger.allAccounts()) {
    const records = await ledger.exportAccount(id);
    if (!records) continue;
    yield JSON.stringify(records);
    tokens += records.account.balance;
    onAccount(++accounts);
  }
  let ids: string[] = [];
  for await (const id of ledger.closedEvents()) {
    events++;
    if (ids.push(id) < EVENTS_AT_ONCE) continue;
    yield JSON.stringify({ closedEvents: ids });
    ids = [];
  }
  if (ids.length > 0) yield JSON.stringify({ closedEvents: ids });
  for (let from = 0, read = EVENTS_AT_ONCE; read === EVENTS_AT_ONCE; from += read) {
    const open = await ledger.openEvents(EVENTS_AT_ONCE, from);
    for (const event of open) yield JSON.stringify({ event });
    read = open.length;
    events += read;
  }
  yield JSON.stringify({ accounts, replays, events } satisfies Tail);
  return { accounts, tokens, alreadyThere: 0 };
}

/**
 * Imports an export of another ledger. Existing records stay unchanged, so a second import changes
 * nothing. Rejects with `NotAnExport` at the first invalid line; earlier lines have been imported.
 */
export async function importLines(
  ledger: Ledger,
  lines: AsyncIterable<string>,
  onAccount: (done: number) => void = () => {},
): Promise<Transferred> {
  let [line, accounts, tokens, alreadyThere, replays, events] = [0, 0, 0, 0, 0, 0];
  let isWhole = false;
  let writing: Promise<unknown>[] = [];
  for await (const text of lines) {
    line++;
    if (line === 1) {
      const head = checked(HEAD, json(text, line), line);
      await ledger.importSecrets(head.secrets);
      const disabled = new Set(head.disabledMailboxes);
      await ledger.importFormerMailboxes(
        head.formerMailboxes.map((hash) => ({ hash, disabled: disabled.has(hash) })),
      );
      continue;
    }
    if (isWhole && text.trim() === '') continue;
    if (isWhole) throw new NotAnExport(`line ${line}: unexpected data after the end`);
    const value = json(text, line);
    const kind = kindOf(value);
    if (kind !== 'replay' || writing.length === REPLAYS_AT_ONCE) {
      await Promise.all(writing);
      writing = [];
    }
    if (kind === 'replay') {
      const write = ledger.importReplay(checked(REPLAY, value, line).replay);
      // Reported when all are awaited, unless a fault of a line is reported before.
      write.catch(() => {});
      writing.push(write);
      replays++;
    } else if (kind === 'closedEvents') {
      const { closedEvents } = checked(CLOSED_EVENTS, value, line);
      await ledger.importClosedEvents(closedEvents, Date.now());
      events += closedEvents.length;
    } else if (kind === 'event') {
      await ledger.storeEvent(checked(EVENT, value, line).event);
      events++;
    } else if (kind === 'accounts') {
      const arrived = { accounts: accounts + alreadyThere, replays, events };
      requireAll(checked(TAIL, value, line), arrived, line);
      isWhole = true;
    } else {
      const records = checked(RECORDS, value, line);
      requireSum(records, line);
      if (await ledger.importAccount(records)) {
        accounts++;
        tokens += records.account.balance;
      } else alreadyThere++;
      onAccount(accounts + alreadyThere);
    }
  }
  await Promise.all(writing);
  if (!isWhole) throw new NotAnExport(`ends after line ${line}, before the end of the export`);
  return { accounts, tokens, alreadyThere };
}

/** The member that tells the kind of a line; null for an account. */
function kindOf(value: unknown) {
  const kinds = ['replay', 'closedEvents', 'event', 'accounts'] as const;
  return kinds.find((kind) => typeof value === 'object' && value && kind in value) ?? null;
}

function requireAll(exported: Tail, arrived: Tail, line: number): void {
  for (const kind of ['accounts', 'replays', 'events'] as const) {
    if (exported[kind] === arrived[kind]) continue;
    throw new NotAnExport(
      `line ${line}: ${exported[kind]} ${kind} were exported, but ${arrived[kind]} arrived`,
    );
  }
}

function headOf(former: readonly FormerMailbox[]) {
  const hashes = (mailboxes: readonly FormerMailbox[]) => mailboxes.map(({ hash }) => hash);
  return {
    formerMailboxes: hashes(former),
    disabledMailboxes: hashes(former.filter(({ disabled }) => disabled)),
  };
}

function json(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotAnExport(`line ${line}: is not JSON`);
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, line: number): T {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const [{ path, message }] = error.issues;
  throw new NotAnExport(`line ${line}: ${[path.join('.'), message].filter(Boolean).join(': ')}`);
}

/** Requires that Σ grants − Σ usage = balance; otherwise tokens would be lost or created. */
function requireSum({ account, grants, usage }: AccountRecords, line: number): void {
  const granted = grants.reduce((sum, { tokens }) => sum + tokens, 0);
  const used = usage.reduce((sum, { tokens }) => sum + tokens, 0);
  if (granted - used === account.balance) return;
  throw new NotAnExport(
    `line ${line}: account ${account.id} was granted ${granted} tokens and used ${used}, but has ${account.balance}`,
  );
}

const EXPORT_VERSION = 2;
const tokens = z.int().min(0);
const at = z.number();

const HEAD = z.object({
  ledger: z.literal(EXPORT_VERSION, 'is not a ledger export that this version supports'),
  secrets: z.record(z.string(), z.string()),
  formerMailboxes: z.array(z.string()),
  /** The subset of `formerMailboxes` whose accounts were disabled. */
  disabledMailboxes: z.array(z.string()),
});
type Head = z.infer<typeof HEAD>;

const TAIL = z.object({ accounts: z.int(), replays: z.int(), events: z.int() });
type Tail = z.infer<typeof TAIL>;

const accountId = z.string().regex(/^[^\s{}]+$/);
const compressed = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

const REPLAY: z.ZodType<{ readonly replay: ReplayRecord }> = z.object({
  replay: z
    .object({
      key: z.string().min(1).max(MAX_IDEMPOTENCY_KEY),
      fingerprint: z.string(),
      receipt: z.object({ account: accountId, endsAtMs: at, id: z.string().regex(/^\S+$/) }),
      keyId: z.string(),
      route: z.string(),
      tokens,
      deliveries: z.int().min(0),
      delivered: tokens,
      repaid: tokens,
      response: z
        .object({ headers: z.record(z.string(), z.string()), gzip: compressed })
        .nullable(),
    })
    .refine(({ delivered, repaid, tokens }) => delivered <= tokens && repaid <= tokens, {
      path: ['tokens'],
      message: 'must be at least what was delivered and what was refunded',
    }),
});

const CLOSED_EVENTS = z.object({ closedEvents: z.array(z.string().min(1)) });

const EVENT: z.ZodType<{ readonly event: PaymentEvent }> = z.object({
  event: z.object({
    id: z.string().min(1),
    type: z.string(),
    object: z.string(),
    receivedAtMs: at,
  }),
});

const RECORDS: z.ZodType<AccountRecords> = z.object({
  account: z.object({
    id: accountId,
    email: z.string().nullable(),
    membership: z
      .object({
        status: z.enum(MEMBERSHIP_STATUSES),
        untilMs: at.nullable(),
        renewsAtMs: at.nullable(),
        subscription: z.string().nullable(),
      })
      .nullable(),
    disabled: z.boolean(),
    balance: tokens,
    createdAtMs: at,
    closedAtMs: at.nullable(),
    customer: z.string().nullable(),
  }),
  keys: z.array(
    z.object({
      hash: z.string(),
      id: z.string().regex(/^\S+$/),
      prefix: z.string(),
      label: z.string(),
      createdAtMs: at,
      lastUsedAtMs: at.nullable(),
      disabled: z.boolean(),
      revokedAtMs: at.nullable(),
    }),
  ),
  grants: z.array(z.object({ tokens: z.int(), cause: z.string(), atMs: at })),
  usage: z.array(
    z.object({
      day: z.iso.date(),
      keyId: z.string(),
      route: z.string(),
      requests: z.int().min(0),
      tokens,
      lastAtMs: at,
    }),
  ),
  audit: z.array(
    z.object({
      atMs: at,
      by: z.enum(ACTORS),
      detail: z.string(),
      what: z.enum(AUDIT_EVENTS),
    }),
  ),
  delayedGrant: z
    .object({ waitsFor: z.string(), dueAtMs: z.int(), orderMs: z.int(), network: z.string() })
    .nullable(),
});

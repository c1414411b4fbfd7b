import { z } from 'zod';
import {
  ACTORS,
  type AccountRecords,
  AUDIT_EVENTS,
  type FormerMailbox,
  MEMBERSHIP_STATUSES,
} from './accounts.ts';
import type { Ledger } from './ledger.ts';

/** Error for a file that is not an export, or is truncated; names the line. */
export class NotAnExport extends Error {
  override readonly name = 'NotAnExport';
}

/** Totals of a transfer. */
export interface Transferred {
  /** Accounts, and the sum of their balances. */
  readonly accounts: number;
  readonly tokens: number;
  /** Accounts that already existed and stayed unchanged. */
  readonly alreadyThere: number;
}

/**
 * Exports a ledger as lines of JSON: data that belongs to no account (secrets, mailboxes that have
 * had the sign-up grant), one account per line, and the number of accounts, by which a truncated
 * file is detected.
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
  let [accounts, tokens] = [0, 0];
  for await (const { id } of ledger.allAccounts()) {
    const records = await ledger.exportAccount(id);
    if (!records) continue;
    yield JSON.stringify(records);
    tokens += records.account.balance;
    onAccount(++accounts);
  }
  yield JSON.stringify({ accounts } satisfies Tail);
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
  let [line, accounts, tokens, alreadyThere] = [0, 0, 0, 0];
  let isWhole = false;
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
    if (isWhole) throw new NotAnExport(`line ${line}: unexpected data after the end`);
    const value = json(text, line);
    const done = accounts + alreadyThere;
    if (typeof value === 'object' && value && 'accounts' in value) {
      const tail = checked(TAIL, value, line);
      isWhole = tail.accounts === done;
      if (isWhole) continue;
      throw new NotAnExport(
        `line ${line}: ${tail.accounts} accounts were exported, but ${done} arrived`,
      );
    }
    const records = checked(RECORDS, value, line);
    requireSum(records, line);
    if (await ledger.importAccount(records)) {
      accounts++;
      tokens += records.account.balance;
    } else alreadyThere++;
    onAccount(done + 1);
  }
  if (!isWhole) throw new NotAnExport(`ends after line ${line}, before the end of the export`);
  return { accounts, tokens, alreadyThere };
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

/** Version of the export format. */
const EXPORT_VERSION = 1;
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

const TAIL = z.object({ accounts: z.int() });
type Tail = z.infer<typeof TAIL>;

const RECORDS: z.ZodType<AccountRecords> = z.object({
  account: z.object({
    id: z.string().regex(/^[^\s{}]+$/),
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
});

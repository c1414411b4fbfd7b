import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import {
  type Account,
  type Ledger,
  MAX_ACTIVE_KEYS,
  SIGNUP_GRANT_TOKENS,
} from '../../../portal/accounts/ledger.ts';
import { openLedger } from '../../../portal/accounts/open-ledger.ts';
import { integer } from '../../environment.ts';
import { run, UsageError } from '../run.ts';

interface KeysFlags {
  ledger: string;
  email?: string;
  label?: string;
  tokens?: string;
  member?: boolean;
  json?: boolean;
}

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('Create, list and revoke API keys.');
  const ledger = () =>
    new Option('--ledger <ledger>', 'the accounts: lmdb:DIR').env('LEDGER').makeOptionMandatory();
  keys
    .command('create')
    .description('Create a key, and the account if there is none. The key is shown once.')
    .addOption(ledger())
    .option('--email <email>', 'the account’s address (default: a new account without one)')
    .option('--label <label>', 'what the key is for', 'command line')
    .option('--tokens <n>', `tokens to grant (default: ${SIGNUP_GRANT_TOKENS} to a new account)`)
    .option('--member', 'make the account a member')
    .option('--json', 'print one JSON object')
    .action((flags: KeysFlags) => run(() => withLedger(flags, create)));
  keys
    .command('list')
    .description('List keys by their first characters.')
    .addOption(ledger())
    .option('--email <email>', 'only of this account')
    .option('--json', 'print one JSON object a key')
    .action((flags: KeysFlags) => run(() => withLedger(flags, list)));
  keys
    .command('revoke <prefix>')
    .description('Revoke the keys that begin with these characters, as list shows them.')
    .addOption(ledger())
    .option('--email <email>', 'only of this account')
    .action((prefix: string, flags: KeysFlags) =>
      run(() => withLedger(flags, (opened) => revoke(opened, flags, prefix))),
    );
}

async function withLedger(
  flags: KeysFlags,
  use: (ledger: Ledger, flags: KeysFlags) => Promise<void>,
): Promise<void> {
  let ledger: Ledger;
  try {
    ledger = await openLedger(flags.ledger, { rateLimitPerMinute: 1 });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
  try {
    await use(ledger, flags);
  } finally {
    await ledger.close();
  }
}

async function create(ledger: Ledger, flags: KeysFlags): Promise<void> {
  const tokens = integer('--tokens', flags.tokens, 0, 1e12);
  const now = Date.now();
  let account = flags.email ? await ledger.accountByEmail(flags.email) : undefined;
  const isNew = !account;
  account ??= await ledger.createAccount({ email: flags.email ?? null });
  const grant = tokens ?? (isNew ? SIGNUP_GRANT_TOKENS : 0);
  if (grant > 0) {
    const cause = tokens === undefined ? 'signup' : `cli:${randomUUID()}`;
    await ledger.grant(account.id, { tokens: grant, cause, atMs: now });
  }
  if (flags.member) await ledger.setMember(account.id, true);
  const made = await ledger.createKey(account.id, flags.label ?? '', now);
  if (!made.created) {
    throw new UsageError(
      `${flags.email}: has ${MAX_ACTIVE_KEYS} active keys already; revoke one first`,
    );
  }
  const { balance } = (await ledger.account(account.id))!;
  if (flags.json) {
    const { plainKey: key, key: kept } = made;
    print(
      JSON.stringify({ key, prefix: kept.prefix, account: account.id, tokens_remaining: balance }),
    );
  } else {
    print(`${made.plainKey}\n${balance} tokens. The key is not shown again.`);
  }
}

async function list(ledger: Ledger, flags: KeysFlags): Promise<void> {
  for await (const account of accountsAskedFor(ledger, flags)) {
    for (const key of await ledger.keys(account.id)) {
      const state = key.revoked ? 'revoked' : account.disabled ? 'disabled' : 'active';
      const created = new Date(key.createdAtMs).toISOString();
      if (flags.json) {
        print(
          JSON.stringify({
            prefix: key.prefix,
            label: key.label,
            state,
            created,
            account: account.id,
            email: account.email,
            tokens_remaining: account.balance,
            member: account.member,
          }),
        );
      } else {
        print(
          `${key.prefix}…  ${state}  ${created}  ${account.email ?? account.id}  ${account.balance} tokens  ${key.label}`,
        );
      }
    }
  }
}

async function revoke(ledger: Ledger, flags: KeysFlags, prefix: string): Promise<void> {
  const found: { account: Account; id: string; prefix: string }[] = [];
  for await (const account of accountsAskedFor(ledger, flags)) {
    for (const key of await ledger.keys(account.id)) {
      const matches = prefix.startsWith(key.prefix) || key.prefix.startsWith(prefix);
      if (matches && !key.revoked) found.push({ account, id: key.id, prefix: key.prefix });
    }
  }
  if (found.length === 0) throw new UsageError(`${prefix}: no active key begins like that`);
  if (found.length > 1) {
    throw new UsageError(
      `${prefix}: ${found.length} active keys begin like that; give more characters`,
    );
  }
  await ledger.revokeKey(found[0].account.id, found[0].id);
  print(`${found[0].prefix}… revoked`);
}

async function* accountsAskedFor(ledger: Ledger, flags: KeysFlags): AsyncGenerator<Account> {
  if (!flags.email) {
    yield* ledger.allAccounts();
    return;
  }
  const account = await ledger.accountByEmail(flags.email);
  if (!account) throw new UsageError(`${flags.email}: no such account`);
  yield account;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

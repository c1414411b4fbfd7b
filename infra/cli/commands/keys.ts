import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { type Account, type ApiKey, isMember } from '../../../proxy/ledger/accounts.ts';
import { isWellFormedApiKey } from '../../../proxy/ledger/api-key.ts';
import type { Ledger } from '../../../proxy/ledger/ledger.ts';
import { MAX_ACTIVE_KEYS, PLANS } from '../../../proxy/plans.ts';
import { counted } from '../../../shards/number-words.ts';
import { ArgumentError, UsageError } from '../../errors.ts';
import { ledgerSchema } from '../../settings/locations.ts';
import type { Flags } from '../../settings/read-settings.ts';
import { integer } from '../integer-flag.ts';
import { printEither, tell } from '../print.ts';
import { addSettings } from '../setting-options.ts';
import { accountCalled, nameOf, operator, runWithLedger } from '../with-ledger.ts';

interface KeysFlags extends Flags {
  account?: string;
  email?: string;
  json?: boolean;
}

interface CreateFlags extends KeysFlags {
  label: string;
  tokens?: string;
  member?: boolean;
}

export function defineKeys(keys: Command): void {
  const command = (name: string, description: string, account: string, email: string) =>
    addSettings(keys.command(name).description(description), ledgerSchema)
      .addOption(new Option('--account <account>', account).conflicts('email'))
      .option('--email <email>', email)
      .option('--json', 'print JSON, one object per line');

  command(
    'create',
    'Create a key, and an account if needed. The key is shown only once.',
    'an existing account, by address or id',
    'the account with this address, created if missing (default: a new account without address)',
  )
    .option('--label <label>', 'purpose of the key', 'command line')
    .option(
      '--tokens <n>',
      `tokens to grant instead of the ${PLANS.free_grant.tokens} that a new account starts with`,
    )
    .option('--member', 'make the account a member')
    .action((flags: CreateFlags) =>
      runWithLedger(flags, (ledger) => create(ledger, flags), {
        mayCreate: flags.account === undefined,
        check: () => checkedTokens(flags),
      }),
    );

  const only = [
    'only keys of this account, by address or id',
    'only keys of the account with this address',
  ];
  command('list', 'List keys by prefix.', only[0], only[1]).action((flags: KeysFlags) =>
    runWithLedger(flags, (ledger) => list(ledger, flags)),
  );
  for (const [verb, does, change] of CHANGES) {
    command(verb, does, only[0], only[1])
      .argument('<key>', 'its prefix, as shown by list, or its id')
      .action((text: string, flags: KeysFlags) =>
        runWithLedger(flags, async (ledger) => {
          const { account, key } = await keyCalled(ledger, flags, text);
          await change(ledger, account, key);
          const now = (await ledger.keys(account.id)).find(({ id }) => id === key.id)!;
          printEither(flags.json, described(now, account), `${key.prefix}… ${verb}d`);
        }),
      );
  }
}

type Change = (ledger: Ledger, account: Account, key: ApiKey) => Promise<unknown>;

const CHANGES: readonly [verb: string, does: string, change: Change][] = [
  [
    'revoke',
    'Revoke a key permanently.',
    (ledger, { id }, key) => ledger.revokeKey(id, key.id, operator()),
  ],
  [
    'disable',
    'Reject a key until it is enabled again.',
    (ledger, { id }, key) => ledger.setKeyDisabled(id, key.id, true, operator()),
  ],
  [
    'enable',
    'Accept a disabled key again.',
    (ledger, { id }, key) => ledger.setKeyDisabled(id, key.id, false, operator()),
  ],
];

/** Checks the flags, and returns the tokens to grant, if any; throws an `ArgumentError`. */
function checkedTokens({ email, tokens }: CreateFlags): number | undefined {
  if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email.trim())) {
    throw new ArgumentError(`--email: "${email}" is not an e-mail address`);
  }
  return integer('--tokens', tokens, 0, 1e12);
}

async function create(ledger: Ledger, flags: CreateFlags): Promise<void> {
  const tokens = checkedTokens(flags);
  const { email, label, member = false } = flags;
  const owner =
    flags.account === undefined
      ? { email: email ?? null }
      : { id: (await accountCalled(ledger, flags.account)).id };
  const atMs = Date.now();
  const grant = tokens ? { tokens, cause: `cli:${randomUUID()}`, atMs } : null;
  const made = await ledger.issueKey({
    owner,
    label,
    member,
    by: 'operator',
    atMs,
    ...(tokens === undefined ? {} : { grant }),
  });
  if (!made.created && made.reason === 'closed') {
    throw new UsageError(`${flags.account}: is closed and can no longer have keys`);
  }
  if (!made.created) {
    throw new UsageError(
      `${flags.account ?? email}: already has ${MAX_ACTIVE_KEYS} active keys; revoke one first (nothing was granted)`,
    );
  }
  const { plainKey, key, account } = made;
  printEither(
    flags.json,
    {
      key: plainKey,
      prefix: key.prefix,
      account: account.id,
      tokens_remaining: account.balance,
    },
    plainKey,
  );
  if (flags.json) return;
  // The standard output is the key alone, for `KEY=$(tta keys create)`.
  tell(`${counted(account.balance, 'token')}. The key will not be shown again.`);
}

async function list(ledger: Ledger, flags: KeysFlags): Promise<void> {
  for await (const { account, key } of keysAskedFor(ledger, flags)) {
    const { prefix, label } = key;
    const created = new Date(key.createdAtMs).toISOString();
    printEither(
      flags.json,
      described(key, account),
      `${prefix}…  ${stateOf(key, account)}  ${created}  ${nameOf(account)}  ${counted(account.balance, 'token')}  ${label}`,
    );
  }
}

function described(key: ApiKey, account: Account): object {
  return {
    id: key.id,
    prefix: key.prefix,
    label: key.label,
    state: stateOf(key, account),
    created: new Date(key.createdAtMs).toISOString(),
    account: account.id,
    email: account.email,
    tokens_remaining: account.balance,
    member: isMember(account.membership, Date.now()),
  };
}

/** The state of a key in effect, which includes that of its account. */
export function stateOf(key: ApiKey, account: Account): 'revoked' | 'disabled' | 'active' {
  if (key.revokedAtMs !== null) return 'revoked';
  return key.disabled || account.disabled ? 'disabled' : 'active';
}

/**
 * Finds the one active key that matches. Throws a `UsageError` if there is none, or more than one.
 */
async function keyCalled(
  ledger: Ledger,
  flags: KeysFlags,
  text: string,
): Promise<{ account: Account; key: ApiKey }> {
  const start = text.trim().replace(/…$/, '');
  if ('ta_live_'.startsWith(start)) {
    throw new UsageError(`"${text}": every key starts with that; give a longer prefix, or the id`);
  }
  const found: { account: Account; key: ApiKey }[] = [];
  for await (const { account, key } of keysAskedFor(ledger, flags)) {
    const isCalled =
      key.id === start ||
      key.prefix.startsWith(start) ||
      (isWellFormedApiKey(start) && start.startsWith(key.prefix));
    if (isCalled && key.revokedAtMs === null) found.push({ account, key });
  }
  if (found.length === 0) throw new UsageError(`${start}: no active key starts with that`);
  if (found.length > 1) {
    const ids = found.map(({ key }) => key.id).join(', ');
    throw new UsageError(
      `${start}: ${found.length} active keys start with that; give an id: ${ids}`,
    );
  }
  return found[0];
}

async function* keysAskedFor(
  ledger: Ledger,
  { account: name, email }: KeysFlags,
): AsyncGenerator<{ account: Account; key: ApiKey }> {
  const one = name ?? email;
  const accounts = one === undefined ? ledger.allAccounts() : [await accountCalled(ledger, one)];
  for await (const account of accounts) {
    for (const key of await ledger.keys(account.id)) yield { account, key };
  }
}

import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import {
  type Account,
  type AccountId,
  isMember,
  MAX_CAUSE_BYTES,
  WITHOUT_END,
} from '../../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../../proxy/ledger/ledger.ts';
import { counted } from '../../../shards/number-words.ts';
import { ArgumentError, UsageError } from '../../errors.ts';
import { ledgerSchema } from '../../settings/locations.ts';
import { paymentSchema, paymentSettings } from '../../settings/payment.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { integer } from '../integer-flag.ts';
import { printEither, tell } from '../print.ts';
import { addSettings } from '../setting-options.ts';
import { accountCalled, nameOf, operator, runWithLedger } from '../with-ledger.ts';
import { stateOf } from './keys.ts';
import { addMoveAccountsCommands } from './move-accounts.ts';

interface AccountsFlags extends Flags {
  json?: boolean;
}

interface GrantFlags extends AccountsFlags {
  tokens?: string;
  cause?: string;
}

interface MemberFlags extends AccountsFlags {
  end?: boolean;
}

export function defineAccounts(accounts: Command): void {
  const command = (name: string, description: string) =>
    addSettings(accounts.command(name).description(description), ledgerSchema).option(
      '--json',
      'print JSON, one object per line',
    );
  const commandOnOne = (name: string, description: string) =>
    command(name, description).argument('<account>', 'e-mail address or id of the account');

  command('list', 'List accounts with their balances.').action((flags: AccountsFlags) =>
    runWithLedger(flags, (ledger) => list(ledger, flags)),
  );
  commandOnOne(
    'show',
    'Show an account: membership, sessions, keys, grants, usage and audit trail.',
  ).action((name: string, flags: AccountsFlags) =>
    runWithLedger(flags, (ledger) => show(ledger, name, flags)),
  );
  commandOnOne('grant', 'Grant tokens to an account.')
    .showHelpAfterError('(such as: tta accounts grant ada@example.org --tokens 100)')
    .option('--tokens <n>', 'number of tokens; required')
    .option('--cause <cause>', 'reason, such as an invoice number; each cause is granted only once')
    .action((name: string, flags: GrantFlags) =>
      runWithLedger(flags, (ledger) => grant(ledger, name, flags), {
        check: () => readGrant(flags),
      }),
    );
  commandOnOne('disable', 'Reject all keys of an account until it is enabled again.').action(
    (name: string, flags: AccountsFlags) =>
      change(name, flags, 'disabled', (ledger, id) => ledger.setDisabled(id, true, operator())),
  );
  commandOnOne('enable', 'Accept the keys of a disabled account again.').action(
    (name: string, flags: AccountsFlags) =>
      change(name, flags, 'enabled', (ledger, id) => ledger.setDisabled(id, false, operator())),
  );
  commandOnOne('member', 'Start or end the membership of an account.')
    .option('--end', 'end it, and its subscriptions at Stripe')
    .addHelpText(
      'after',
      `
A paid membership is cancelled at Stripe immediately and without a refund. This requires the same
Stripe settings as tta portal.`,
    )
    .action((name: string, flags: MemberFlags) =>
      change(name, flags, flags.end ? 'no longer a member' : 'now a member', async (ledger, id) => {
        await (flags.end ? endAtStripe(ledger, id) : refuseIfPaid(ledger, name));
        await ledger.setMembership(id, flags.end ? null : WITHOUT_END, operator());
      }),
    );
  addMoveAccountsCommands(accounts);
}

async function list(ledger: Ledger, { json }: AccountsFlags): Promise<void> {
  for await (const account of ledger.allAccounts()) {
    printEither(json, described(account), `${account.id}  ${lineOf(account)}`);
  }
}

async function show(ledger: Ledger, name: string, { json }: AccountsFlags): Promise<void> {
  const account = await accountCalled(ledger, name);
  const keys = (await ledger.keys(account.id)).map((key) => ({
    id: key.id,
    prefix: key.prefix,
    label: key.label,
    state: stateOf(key, account),
    created: timeOf(key.createdAtMs),
  }));
  const grants = (await ledger.grants(account.id)).map(({ tokens, cause, atMs }) => ({
    at: timeOf(atMs),
    tokens,
    cause,
  }));
  const usage = (await ledger.usage(account.id)).map(({ day, keyId, route, requests, tokens }) => ({
    day,
    key: keys.find(({ id }) => id === keyId)?.prefix ?? keyId,
    route,
    requests,
    tokens,
  }));
  const sessions = (await ledger.sessions(account.id, Date.now())).length;
  const audit = (await ledger.audit(account.id)).map(({ atMs, by, what, detail }) => ({
    at: timeOf(atMs),
    by,
    what,
    detail,
  }));
  const membership = membershipOf(account);
  const lines = [
    `${account.id}  ${lineOf(account)}`,
    `membership  ${membership ? `${membership.status}, ${membership.until ? `until ${membership.until}` : 'no expiry'}` : 'none'}`,
    `signed in  ${counted(sessions, 'session')}`,
    'keys',
    ...keys.map((key) => `  ${key.prefix}…  ${key.state}  ${key.created}  ${key.label}`),
    'grants',
    ...grants.map(({ at, tokens, cause }) => `  ${at}  ${counted(tokens, 'token')}  ${cause}`),
    'usage',
    ...usage.map(
      ({ day, key, route, requests, tokens }) =>
        `  ${day}  ${key}…  ${route}  ${counted(requests, 'request')}  ${counted(tokens, 'token')}`,
    ),
    'audit',
    ...audit.map(({ at, by, what, detail }) => `  ${at}  ${by}  ${what}  ${detail}`.trimEnd()),
  ];
  const shown = { ...described(account), membership, sessions, keys, grants, usage, audit };
  printEither(json, shown, ...lines);
}

/** Returns the facts about an active membership; otherwise null. */
function membershipOf({ membership }: Account) {
  if (!membership || !isMember(membership, Date.now())) return null;
  const { status, untilMs, renewsAtMs, subscription } = membership;
  const at = (ms: number | null) => (ms === null ? null : timeOf(ms));
  return { status, until: at(untilMs), renews: at(renewsAtMs), subscription };
}

function readGrant(flags: GrantFlags) {
  const tokens = integer('--tokens', flags.tokens, 1, 1e12);
  if (tokens === undefined) throw new ArgumentError('--tokens: is required');
  const cause = flags.cause?.trim() ?? `cli:${randomUUID()}`;
  if (cause === '' || Buffer.byteLength(cause) > MAX_CAUSE_BYTES) {
    throw new ArgumentError(`--cause: must be 1 to ${MAX_CAUSE_BYTES} bytes`);
  }
  return { tokens, cause };
}

async function grant(ledger: Ledger, name: string, flags: GrantFlags): Promise<void> {
  const { tokens, cause } = readGrant(flags);
  const account = await accountCalled(ledger, name);
  const given = { tokens, cause, atMs: Date.now() };
  const { granted, balance } = await ledger.grant(account.id, given, 'operator');
  printEither(
    flags.json,
    { account: account.id, granted, cause, tokens_remaining: balance },
    `${nameOf(account)}: ${granted ? `${counted(tokens, 'token')} granted` : `nothing granted, "${cause}" has been granted before`}; ${counted(balance, 'token')}`,
  );
}

/**
 * Ends the subscriptions of an account at Stripe. A subscription left running would be charged, and
 * would restore the membership.
 */
async function endAtStripe(ledger: Ledger, id: AccountId): Promise<void> {
  const { customer, membership } = await accountCalled(ledger, id);
  if (customer === null) return;
  const settings = paymentSettings(readSettings(paymentSchema));
  if (settings) {
    // Imported here because Stripe’s library is slow to load.
    const { endSubscriptionsWith } = await import('../../../portal/payment/open-payment.ts');
    return endSubscriptionsWith(settings, ledger, id);
  }
  if (membership?.subscription) {
    throw new UsageError(
      `the membership is paid for by ${membership.subscription} of ${customer} at Stripe; set STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and STRIPE_MEMBERSHIP_PRICE to cancel it there`,
    );
  }
  tell(
    `the account is ${customer} at Stripe, which cannot be checked without STRIPE_SECRET_KEY; make sure that it has no subscription there`,
  );
}

/**
 * Throws a `UsageError` if the account pays for a membership. A granted membership would hide the
 * subscription, which would still be charged.
 */
async function refuseIfPaid(ledger: Ledger, name: string): Promise<void> {
  const { membership } = await accountCalled(ledger, name);
  if (!membership?.subscription || !isMember(membership, Date.now())) return;
  throw new UsageError(
    `${name} is a member already, paid for by ${membership.subscription} at Stripe; end that first with --end`,
  );
}

function change(
  name: string,
  flags: AccountsFlags,
  outcome: string,
  apply: (ledger: Ledger, id: AccountId) => Promise<void>,
): Promise<void> {
  return runWithLedger(flags, async (ledger) => {
    const { id } = await accountCalled(ledger, name);
    await apply(ledger, id);
    const account = await accountCalled(ledger, id);
    printEither(flags.json, described(account), `${nameOf(account)}: ${outcome}`);
  });
}

function described(account: Account) {
  const { id, email, membership, disabled, balance, createdAtMs, closedAtMs } = account;
  const member = isMember(membership, Date.now());
  const created = timeOf(createdAtMs);
  const closed = closedAtMs === null ? null : timeOf(closedAtMs);
  return { account: id, email, member, disabled, tokens_remaining: balance, created, closed };
}

function lineOf(account: Account): string {
  const { email, membership, disabled, balance, createdAtMs, closedAtMs } = account;
  const member = isMember(membership, Date.now());
  const open = disabled ? 'disabled' : 'active';
  const state = `${closedAtMs === null ? open : 'closed'}${member ? ', member' : ''}`;
  return `${email ?? 'no address'}  ${state}  ${timeOf(createdAtMs)}  ${counted(balance, 'token')}`;
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

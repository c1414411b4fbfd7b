import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { Account, AccountId } from '../../../portal/accounts/accounts.ts';
import type { Ledger } from '../../../portal/accounts/ledger.ts';
import { integer } from '../../environment.ts';
import { UsageError } from '../run.ts';
import { accountCalled, ledgerOption, nameOf, print, runWithLedger } from '../with-ledger.ts';
import { stateOf } from './keys.ts';

interface AccountsFlags {
  ledger: string;
  json?: boolean;
}

interface GrantFlags extends AccountsFlags {
  tokens: string;
  cause?: string;
}

interface MemberFlags extends AccountsFlags {
  end?: boolean;
}

export function addAccountsCommands(program: Command): void {
  const accounts = program.command('accounts').description('Look after accounts and their tokens.');
  const command = (name: string, description: string) =>
    accounts
      .command(name)
      .description(description)
      .addOption(ledgerOption())
      .option('--json', 'print JSON, an object a line');
  const commandOnOne = (name: string, description: string) =>
    command(name, description).argument('<account>', 'its e-mail address or id');

  command('list', 'List accounts with their balances.').action((flags: AccountsFlags) =>
    runWithLedger(flags.ledger, (ledger) => list(ledger, flags)),
  );
  commandOnOne('show', 'Show an account with its keys, grants and usage.').action(
    (name: string, flags: AccountsFlags) =>
      runWithLedger(flags.ledger, (ledger) => show(ledger, name, flags)),
  );
  commandOnOne('grant', 'Grant tokens to an account.')
    .requiredOption('--tokens <n>', 'how many')
    .option('--cause <cause>', 'what for, such as an invoice’s number: each cause grants once')
    .action((name: string, flags: GrantFlags) =>
      runWithLedger(flags.ledger, (ledger) => grant(ledger, name, flags)),
    );
  commandOnOne('disable', 'Refuse every key of an account until it is enabled again.').action(
    (name: string, flags: AccountsFlags) =>
      change(name, flags, 'disabled', (ledger, id) => ledger.setDisabled(id, true)),
  );
  commandOnOne('enable', 'Take the keys of a disabled account again.').action(
    (name: string, flags: AccountsFlags) =>
      change(name, flags, 'enabled', (ledger, id) => ledger.setDisabled(id, false)),
  );
  commandOnOne('member', 'Begin the membership of an account, or end it.')
    .option('--end', 'end it')
    .action((name: string, flags: MemberFlags) =>
      change(name, flags, flags.end ? 'no member now' : 'a member now', (ledger, id) =>
        ledger.setMember(id, !flags.end),
      ),
    );
}

async function list(ledger: Ledger, { json }: AccountsFlags): Promise<void> {
  for await (const account of ledger.allAccounts()) {
    print(json, described(account), `${account.id}  ${lineOf(account)}`);
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
  const usage = (await ledger.usage(account.id)).map(({ day, keyId, requests, tokens }) => ({
    day,
    key: keys.find(({ id }) => id === keyId)?.prefix ?? keyId,
    requests,
    tokens,
  }));
  const lines = [
    `${account.id}  ${lineOf(account)}`,
    'keys',
    ...keys.map((key) => `  ${key.prefix}…  ${key.state}  ${key.created}  ${key.label}`),
    'grants',
    ...grants.map(({ at, tokens, cause }) => `  ${at}  ${tokens} tokens  ${cause}`),
    'usage',
    ...usage.map(
      ({ day, key, requests, tokens }) =>
        `  ${day}  ${key}…  ${requests} requests  ${tokens} tokens`,
    ),
  ];
  print(json, { ...described(account), keys, grants, usage }, lines.join('\n'));
}

async function grant(ledger: Ledger, name: string, flags: GrantFlags): Promise<void> {
  const tokens = integer('--tokens', flags.tokens, 1, 1e12)!;
  const cause = flags.cause?.trim() ?? `cli:${randomUUID()}`;
  if (cause.length < 1 || cause.length > 255)
    throw new UsageError('--cause: has 1 to 255 characters');
  const account = await accountCalled(ledger, name);
  const given = { tokens, cause, atMs: Date.now() };
  const { granted, balance } = await ledger.grant(account.id, given);
  print(
    flags.json,
    { account: account.id, granted, cause, tokens_remaining: balance },
    `${nameOf(account)}: ${granted ? `${tokens} tokens granted` : `nothing granted, "${cause}" was before`}; ${balance} tokens`,
  );
}

function change(
  name: string,
  { ledger: address, json }: AccountsFlags,
  outcome: string,
  apply: (ledger: Ledger, id: AccountId) => Promise<void>,
): Promise<void> {
  return runWithLedger(address, async (ledger) => {
    const { id } = await accountCalled(ledger, name);
    await apply(ledger, id);
    const account = await accountCalled(ledger, id);
    print(json, described(account), `${nameOf(account)}: ${outcome}`);
  });
}

function described({ id, email, member, disabled, balance, createdAtMs }: Account) {
  const created = timeOf(createdAtMs);
  return { account: id, email, member, disabled, tokens_remaining: balance, created };
}

function lineOf({ email, member, disabled, balance, createdAtMs }: Account): string {
  const state = `${disabled ? 'disabled' : 'active'}${member ? ', member' : ''}`;
  return `${email ?? 'no address'}  ${state}  ${timeOf(createdAtMs)}  ${balance} tokens`;
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

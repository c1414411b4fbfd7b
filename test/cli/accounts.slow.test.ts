import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../infra/cli/program.ts';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { BY, newAccount, newKey, ROUTE } from '../support/customers.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests } from '../support/test-resources.ts';
import { commandsOfTests, ttaIn } from '../support/tta.ts';

const folder = folderOfTests();
const address = () => `sqlite:${path.join(folder, 'ledger')}`;
const ledger = ofTests(() => openLedger(address(), { rateLimitPerMinute: 1_000_000 }));

/** The compiled commands, in a process of their own, while this one has the ledger open. */
const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({ LEDGER: address() }, ...args);

/** The object that a command prints with `--json`. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await tta(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd()).not.toContain('\n');
  return JSON.parse(stdout);
}

/** The one-line error of a failing command; its exit code is 2 if it is about a flag. */
async function refusal(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await tta(...args);
  expect([code, stdout]).toEqual([stderr.startsWith('tta: --') ? 2 : 1, '']);
  expect(stderr).toMatch(/^tta: .*\n$/);
  return stderr;
}

async function accountsHeld() {
  const held = [];
  for await (const account of ledger.allAccounts()) held.push(account);
  return held;
}

describe('tta keys', () => {
  const outcome = async (key: string) => (await ledger.admit(hashApiKey(key), 1)).outcome;

  test('create prints the key alone to stdout, for a shell variable, and its tokens to stderr', async () => {
    const env = { LEDGER: address() };
    const { code, stdout, stderr } = await ttaIn(env, 'keys', 'create', '--tokens', '7');
    expect(code).toBe(0);
    expect(await outcome(stdout.replace(/\n$/, ''))).toBe('admitted');
    expect(stderr).toBe('7 tokens. The key will not be shown again.\n');
  });

  test('creates, lists, disables, enables and revokes keys, effective at once where the ledger is open', async () => {
    const made = await json('keys', 'create', '--email', 'Ada@example.org');
    expect(Object.keys(made)).toEqual(['key', 'prefix', 'account', 'tokens_remaining']);
    expect(made.tokens_remaining).toBe(5000);
    const owner = ['--email', 'ada@example.org'];
    const second = await json('keys', 'create', ...owner, '--tokens', '7', '--member');
    expect([second.account, second.tokens_remaining]).toEqual([made.account, 5007]);
    expect(await outcome(made.key)).toBe('admitted');

    const { stdout } = await tta('keys', 'list', '--account', made.account);
    expect(stdout).toContain(`${made.prefix}…  active`);
    expect(stdout).not.toContain(made.key);
    const disabled = await json('keys', 'disable', `${made.prefix}…`);
    expect(disabled).toMatchObject({ prefix: made.prefix, state: 'disabled', member: true });
    expect(await outcome(made.key)).toBe('account-disabled');
    expect(await outcome(second.key)).toBe('admitted');
    expect((await tta('keys', 'enable', disabled.id)).stdout).toBe(`${made.prefix}… enabled\n`);
    expect(await outcome(made.key)).toBe('admitted');
    expect((await tta('keys', 'revoke', made.key)).code).toBe(0);
    expect(await outcome(made.key)).toBe('invalid-key');
    expect((await tta('keys', 'list', ...owner)).stdout).toContain(`${made.prefix}…  revoked`);
    expect(await refusal('keys', 'enable', made.prefix)).toContain('no active key starts');
  });

  test('leaves nothing behind of a key that exceeds the limit', async () => {
    const owner = ['--email', 'full@example.org'];
    const { account } = await json('keys', 'create', ...owner);
    for (const label of ['second', 'third']) await newKey(ledger, account, label, 1);
    const before = await accountsHeld();
    const refused = await refusal('keys', 'create', ...owner, '--tokens', '50', '--member');
    expect(refused).toBe(
      'tta: full@example.org: already has 3 active keys; revoke one first (nothing was granted)\n',
    );
    expect(await accountsHeld()).toEqual(before);
    expect(await ledger.grants(account)).toMatchObject([{ tokens: 5000, cause: 'signup' }]);
  });

  test('creates no account for a string that is not an address, an account or a number', async () => {
    const before = await accountsHeld();
    for (const [flags, said] of [
      [['--email', ' '], '--email: " " is not an e-mail address'],
      [['--account', 'nobody@example.org'], '"nobody@example.org": no such account'],
      [['--tokens', '-5'], '--tokens'],
    ] as const) {
      expect(await refusal('keys', 'create', ...flags)).toContain(said);
    }
    expect(await accountsHeld()).toEqual(before);
  });

  test('revokes no key for a prefix that does not identify it', async () => {
    // In a ledger with a single key, any prefix would match.
    const alone = ['--ledger', `sqlite:${path.join(folder, 'one-key')}`];
    const { prefix } = JSON.parse((await tta('keys', 'create', ...alone, '--json')).stdout);
    for (const blank of ['', ' …', 'ta_live_']) {
      expect(await refusal('keys', 'revoke', blank, ...alone)).toContain('every key starts with');
    }
    expect(await refusal('keys', 'revoke', `${prefix}0`, ...alone)).toContain(
      'no active key starts',
    );
    expect((await json('keys', 'list', ...alone)).state).toBe('active');
  });
});

test('commands create no ledger at a mistyped path, except for the first key or an import, which report it', async () => {
  const mistyped = path.join(folder, 'mistyped');
  const at = ['--ledger', `sqlite:${mistyped}`];
  for (const command of [
    ['keys', 'list'],
    ['accounts', 'list'],
    ['accounts', 'export'],
    ['accounts', 'disable', 'a@b.org'],
    ['keys', 'create', '--account', 'a@b.org'],
  ]) {
    expect(await refusal(...command, ...at)).toContain(`sqlite:${mistyped}: no such ledger;`);
  }
  for (const flags of [
    ['--email', 'nomail'],
    ['--tokens', 'many'],
  ]) {
    expect(await refusal('keys', 'create', ...flags, ...at)).toContain(flags[0]);
  }
  expect(existsSync(mistyped)).toBe(false);
  const created = `created the ledger sqlite:${mistyped}\n`;
  expect((await tta('keys', 'create', '--json', ...at)).stderr).toBe(created);
  expect((await tta('keys', 'create', '--json', ...at)).stderr).toBe('');
});

describe('tta accounts', () => {
  test('grants once per cause, without a key', async () => {
    const { id } = await newAccount(ledger, { email: 'grants@example.org' });
    const grant = ['accounts', 'grant', 'Grants@example.org', '--tokens', '60'];
    const invoice = [...grant, '--cause', 'invoice 7'];
    const first = { account: id, granted: true, cause: 'invoice 7', tokens_remaining: 60 };
    expect(await json(...invoice)).toEqual(first);
    expect(await json(...invoice)).toEqual({ ...first, granted: false });
    expect((await tta(...invoice)).stdout).toBe(
      'grants@example.org: nothing granted, "invoice 7" has been granted before; 60 tokens\n',
    );
    expect((await json(...grant)).tokens_remaining).toBe(120);
    expect((await json(...grant)).tokens_remaining).toBe(180);
    expect(await ledger.keys(id)).toEqual([]);
    for (const tokens of ['0', ' ']) {
      const refused = ['accounts', 'grant', id, `--tokens=${tokens}`];
      expect(await refusal(...refused)).toContain('--tokens');
    }
    expect(await refusal(...grant, '--cause', ' ')).toContain('--cause');
    const { code, stderr } = await tta('accounts', 'grant', id, '100');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--tokens 100')]);
    expect((await ledger.account(id))!.balance).toBe(180);
  });

  test('disables and enables an account, and starts and ends its membership', async () => {
    const { key, account } = await json('keys', 'create', '--tokens', '1');
    const admit = () => ledger.admit(hashApiKey(key), 1);
    expect(await json('accounts', 'disable', account)).toMatchObject({ account, disabled: true });
    expect((await admit()).outcome).toBe('account-disabled');
    expect((await tta('accounts', 'enable', account)).stdout).toBe(`${account}: enabled\n`);
    expect(await admit()).toMatchObject({ outcome: 'admitted', member: false });
    expect(await json('accounts', 'member', account)).toMatchObject({ member: true });
    expect(await admit()).toMatchObject({ member: true });
    expect(await json('accounts', 'member', account, '--end')).toMatchObject({ member: false });
    expect(await admit()).toMatchObject({ member: false });
  });

  test('shows an account with its whole history, and lists all accounts', async () => {
    const made = await json('keys', 'create', '--email', 'show@example.org', '--label', 'desk');
    const [{ id: keyId }] = await ledger.keys(made.account);
    const atMs = Date.UTC(2026, 4, 1);
    await ledger.debit({ account: made.account, keyId, route: ROUTE, tokens: 12, atMs });
    const shown = await json('accounts', 'show', 'show@example.org');
    expect(shown).toMatchObject({
      account: made.account,
      email: 'show@example.org',
      tokens_remaining: 4988,
      member: false,
      disabled: false,
      membership: null,
      sessions: 0,
      keys: [{ id: keyId, prefix: made.prefix, label: 'desk', state: 'active' }],
      grants: [{ tokens: 5000, cause: 'signup' }],
      usage: [{ day: '2026-05-01', key: made.prefix, route: ROUTE, requests: 1, tokens: 12 }],
      audit: ['key-created', 'tokens-granted', 'account-opened'].map((what) => ({
        what,
        by: 'operator',
      })),
    });
    const untilMs = Date.now() + 1e6;
    const member = { status: 'ending', untilMs, renewsAtMs: null, subscription: 'sub_1' } as const;
    await ledger.setMembership(made.account, member, BY);
    const until = new Date(untilMs).toISOString();
    expect(await refusal('accounts', 'member', made.account)).toMatch(/paid for by sub_1 .* --end/);
    expect((await json('accounts', 'show', made.account)).membership).toEqual({
      status: 'ending',
      until,
      renews: null,
      subscription: 'sub_1',
    });
    await ledger.setMembership(made.account, null, BY);
    const { stdout } = await tta('accounts', 'show', made.account);
    expect(stdout).toContain('4,988 tokens');
    expect(stdout).toMatch(/operator {2}membership-changed/);
    expect(stdout).toContain(`2026-05-01  ${made.prefix}…  ${ROUTE}  1 request  12 tokens`);
    const { keys, grants, usage, audit, sessions, membership, ...listed } = shown;
    const lines = (await tta('accounts', 'list', '--json')).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(listed);
    expect(lines).toHaveLength((await accountsHeld()).length);
  });

  test('reports an unknown account as such', async () => {
    for (const [verb, name] of [
      ['show', 'nobody@example.org'],
      ['disable', 'nobody'],
      ['member', ''],
    ]) {
      expect(await refusal('accounts', verb, name)).toContain(`"${name}": no such account`);
    }
  });

  test('documents every command and flag in its help, as tta keys does', async () => {
    for (const [name, verbs] of [
      ['keys', ['create', 'list', 'revoke', 'disable', 'enable']],
      [
        'accounts',
        [
          ...['list', 'show', 'grant', 'disable', 'enable', 'member'],
          ...['export', 'import', 'backup', 'restore'],
        ],
      ],
    ] as const) {
      const { commands } = await createProgram([name]);
      const group = commands.find((command) => command.name() === name)!;
      expect(group.commands.map((command) => command.name())).toEqual(verbs);
      for (const command of group.commands) {
        const help = command.helpInformation().replaceAll(/\s+/g, ' ');
        for (const flag of ['--ledger', 'env: LEDGER']) expect(help).toContain(flag);
        const moves = ['export', 'import', 'backup', 'restore'].includes(command.name());
        expect(help.includes('--json')).toBe(!moves);
        if (command.name() === 'member') expect(help).toContain('--end');
        if (command.name() === 'grant') expect(help).toContain('--cause');
      }
    }
  });
});

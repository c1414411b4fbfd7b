import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import { isMissingLedger, openLedger } from '../../proxy/ledger/open-ledger.ts';
import { backUpLedger, restoreLedger } from '../../proxy/ledger/sqlite/backup.ts';
import { isOfTheDatabase, unavailable } from '../../proxy/ledger/sqlite/failure.ts';
import { CommitFailed, GroupCommit } from '../../proxy/ledger/sqlite/group-commit.ts';
import type { Outcome, Write } from '../../proxy/ledger/sqlite/operations.ts';
import { closeEvent, storeEvent } from '../../proxy/ledger/sqlite/payment-events.ts';
import { SCHEMA_VERSION } from '../../proxy/ledger/sqlite/schema.ts';
import { removeEnded, SqlConnection } from '../../proxy/ledger/sqlite/sql-connection.ts';
import {
  commitGroup,
  failureOf,
  openWriter,
  outcomesIn,
} from '../../proxy/ledger/sqlite/writer.ts';
import { BY, newAccount } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const folder = folderOfEachTest();
const file = () => path.join(folder, 'ledger.db');
const connection = (options?: { isWriter: boolean }) =>
  ofThisTest(new SqlConnection(file(), options));

/** Names of the secrets in a database, which tests use as a table. */
const names = (db: SqlConnection) =>
  db.all<{ name: string }>('SELECT name FROM secrets ORDER BY name').map(({ name }) => name);
const add = (db: SqlConnection, name: string) =>
  db.run('INSERT INTO secrets VALUES (?, ?)', name, 'x');

/** Replaces the clock by one that runs `work` and advances by `stepMs` each time it is read. */
function clockThat(stepMs: number, work: () => void = () => {}) {
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    work();
    nowMs += stepMs;
    return nowMs;
  });
  onTestFinished(() => clock.mockRestore());
  return clock;
}

describe('an error', () => {
  const denied = 'permission denied; let this user write to it';
  const DAMAGED =
    'its file is damaged; stop every server and portal on it and run tta accounts restore with a backup';
  const full = 'the disk is full; free some space';
  test.each([
    ['EACCES: permission denied, mkdir', 'EACCES', denied],
    ['permission denied', '', denied],
    ['attempt to write a readonly database', '', denied],
    ['unable to open database file', '', denied],
    ['nothing said', 'EACCES', denied],
    ['no space left', 'ENOSPC', full],
    ['database or disk is full', '', full],
    ['file too large', '', full],
    ['disk I/O error', '', 'the disk is full, or damaged; free some space'],
    ['database is locked', '', 'another process keeps it locked; try again'],
    ['file is not a database', '', DAMAGED],
    ['database disk image is malformed', '', DAMAGED],
    ['something else', 'EIO', 'cannot be used (something else)'],
  ])('%s (%s) is explained: %s', (message, code, advice) => {
    const cause = Object.assign(new Error(message), code && { code });
    expect(unavailable('/a/ledger', cause)).toMatchObject({
      name: 'LedgerUnavailable',
      message: `ledger /a/ledger: ${advice}`,
      cause,
    });
  });

  test('that has already been explained is passed on', () => {
    const known = new LedgerUnavailable('known');
    expect(unavailable('/a/ledger', known)).toBe(known);
  });

  test('of a value concerns one change alone, and any other error of SQLite concerns the whole group', () => {
    // SQLITE_TOOBIG, _CONSTRAINT and _MISMATCH, and SQLITE_CONSTRAINT_UNIQUE, an extended code.
    for (const errcode of [18, 19, 20, 2067]) expect(isOfTheDatabase({ errcode })).toBe(false);
    // SQLITE_ERROR, _BUSY, _IOERR, _FULL, _NOTADB, and SQLITE_IOERR_WRITE.
    for (const errcode of [1, 5, 10, 13, 17, 21, 26, 778]) {
      expect(isOfTheDatabase({ errcode })).toBe(true);
    }
    for (const other of [new Error('ours'), { errcode: '5' }]) {
      expect(isOfTheDatabase(other)).toBe(false);
    }
  });
});

describe('a connection', () => {
  test('writes a change to the disk when it is committed, and keeps its log small', async () => {
    const [reader, writer] = [await connection(), await connection({ isWriter: true })];
    for (const db of [reader, writer]) {
      const pragma = (name: string) => Object.values(db.get(`PRAGMA ${name}`)!)[0];
      expect(['journal_mode', 'synchronous', 'journal_size_limit'].map(pragma)).toEqual([
        'wal',
        2,
        2 ** 24,
      ]);
      expect(pragma('busy_timeout')).toBe(db === reader ? 10_000 : 0);
    }
  });

  test('makes a transaction, and each part of one, as a whole or not at all', async () => {
    const [db, other] = [await connection(), await connection()];
    const fault = new Error('a fault');
    const made = db.transaction(() => {
      expect(add(db, 'a')).toBe(1);
      expect(names(other)).toEqual([]);
      expect(() =>
        db.part(() => {
          add(db, 'b');
          throw fault;
        }),
      ).toThrow(fault);
      return db.part(() => add(db, 'c'));
    });
    expect(made).toBe(1);
    expect(names(other)).toEqual(['a', 'c']);
    const failing = () =>
      db.transaction(() => {
        db.part(() => add(db, 'd'));
        throw fault;
      });
    expect(failing).toThrow(fault);
    expect(names(db)).toEqual(['a', 'c']);
    // The connection remains usable.
    db.transaction(() => add(db, 'e'));
    expect(names(other)).toEqual(['a', 'c', 'e']);
  });

  test('remains usable after an error at which SQLite itself has rolled everything back', async () => {
    const db = await connection();
    const failing = () =>
      db.transaction(() => {
        add(db, 'a');
        db.part(() => {
          db.run('ROLLBACK');
          throw new Error('the disk was full');
        });
      });
    expect(failing).toThrow('the disk was full');
    expect(names(db)).toEqual([]);
    db.transaction(() => add(db, 'b'));
    expect(names(db)).toEqual(['b']);
  });

  test('reads one state in a snapshot, whatever is committed meanwhile', async () => {
    const [db, other] = [await connection(), await connection()];
    add(other, 'a');
    const seen = db.snapshot(() => {
      const before = names(db);
      add(other, 'b');
      return [before, names(db)];
    });
    expect(seen).toEqual([['a'], ['a']]);
    expect(names(db)).toEqual(['a', 'b']);
  });

  test('waits up to four seconds for the transaction of another, and hardly after it waited in vain', async () => {
    const [writer, other] = [await connection({ isWriter: true }), await connection()];
    other.run('BEGIN IMMEDIATE');
    let looks = 0;
    const clock = clockThat(500, () => {
      looks++;
      if (looks === 5) other.run('COMMIT');
    });
    expect(writer.transaction(() => add(writer, 'a'))).toBe(1);
    expect(looks).toBe(5);
    clock.mockRestore();
    other.run('BEGIN IMMEDIATE');
    clockThat(1_100, () => looks++);
    const adds = () => writer.transaction(() => add(writer, 'b'));
    expect(adds).toThrow('database is locked');
    // The first reading of the clock sets the deadline, which has passed at the fifth.
    expect(looks).toBe(5 + 5);
    for (let again = 1; again <= 2; again++) {
      expect(adds).toThrow('database is locked');
      expect(looks).toBe(10 + 2 * again);
    }
    other.run('ROLLBACK');
    expect(names(writer)).toEqual(['a']);
    expect(adds()).toBe(1);
    other.run('BEGIN IMMEDIATE');
    looks = 0;
    expect(adds).toThrow('database is locked');
    expect(looks).toBe(5);
    other.run('ROLLBACK');
    // Other errors are thrown at once.
    looks = 0;
    writer.run('BEGIN');
    expect(() => writer.transaction(() => {})).toThrow('within a transaction');
    expect(looks).toBe(1);
    writer.run('ROLLBACK');
  });

  test('waits while another process creates the file, and while one recovers its log', async () => {
    const creator = await ofThisTest(new DatabaseSync(file()));
    creator.exec('BEGIN IMMEDIATE');
    let looks = 0;
    const clock = clockThat(1_000, () => {
      looks++;
      if (looks === 3) creator.exec('COMMIT');
    });
    const writer = await connection();
    expect(looks).toBeGreaterThanOrEqual(3);
    clock.mockRestore();
    const recovering = Object.assign(new Error('database is locked'), { errcode: 261 });
    vi.spyOn(writer, 'run').mockImplementationOnce(() => {
      throw recovering;
    });
    expect(writer.transaction(() => add(writer, 'a'))).toBe(1);
    expect(names(writer)).toEqual(['a']);
  });

  test('is not restored from the records of another version, or of another program', async () => {
    const version = SCHEMA_VERSION - 1;
    const db = new DatabaseSync(file());
    db.exec(`CREATE TABLE places (name TEXT); PRAGMA user_version = ${version}`);
    db.close();
    await expect(restoreLedger(path.join(folder, 'restored'), file())).rejects.toThrow(
      `ledger ${file()}: its records have format ${version}`,
    );
    await expect(backUpLedger(folder, path.join(folder, 'backup'))).rejects.toThrow(
      LedgerUnavailable,
    );
  });

  test('opens neither a ledger of another version nor a file that is not a ledger', async () => {
    new SqlConnection(file()).close();
    for (const [version, advice] of [
      [SCHEMA_VERSION + 1, `up to ${SCHEMA_VERSION}; use the version that wrote it`],
      [SCHEMA_VERSION - 1, `${SCHEMA_VERSION}; export it with the version that wrote it`],
    ] as const) {
      const db = new DatabaseSync(file());
      db.exec(`PRAGMA user_version = ${version}`);
      db.close();
      const said = `ledger ${file()}: its records have format ${version}, and this version supports ${advice}`;
      expect(() => new SqlConnection(file())).toThrow(said);
      expect(() => new SqlConnection(file())).toThrow(LedgerUnavailable);
    }
    const text = path.join(folder, 'text');
    await writeFile(text, 'no database, but a text that is longer than the header of one would be');
    expect(() => new SqlConnection(text)).toThrow('file is not a database');
  });

  test('recognizes handled payment events for sixty days', async () => {
    const db = await connection();
    const event = (id: string) => ({ id, type: 'invoice.paid', object: 'in_1', receivedAtMs: 1 });
    const handle = (id: string, atMs: number) => {
      storeEvent(db, event(id));
      closeEvent(db, id, atMs);
    };
    const days = 24 * 60 * 60 * 1_000;
    handle('first', 7);
    handle('second', 60 * days + 6);
    expect(storeEvent(db, event('first'))).toBe(false);
    handle('third', 60 * days + 7);
    expect(storeEvent(db, event('first'))).toBe(true);
    expect(storeEvent(db, event('second'))).toBe(false);
  });

  test('removes up to four ended records at a time, beginning with those that ended first', async () => {
    const db = await connection();
    for (const end of [30, 10, 50, 20, 40, 60]) {
      db.run('INSERT INTO limits VALUES (?, 0, 0, ?)', `ends at ${end}`, end);
    }
    const left = () =>
      db
        .all<{ end: number }>('SELECT endsAtMs AS end FROM limits ORDER BY end')
        .map(({ end }) => end);
    removeEnded(db, 'limits', 20);
    expect(left()).toEqual([30, 40, 50, 60]);
    db.run('INSERT INTO limits VALUES (?, 0, 0, ?)', 'one more', 35);
    removeEnded(db, 'limits', 100);
    expect(left()).toEqual([60]);
  });
});

describe('a group of changes', () => {
  const grant = (account: string, tokens: number, cause: string): Write => ({
    name: 'grant',
    args: [account, { tokens, cause, atMs: 1 }, 'operator'],
  });
  const open: Write = { name: 'openAccount', args: [{ email: null, grant: null, ...BY }] };

  test('is made except for the changes that fail, which have no effect', async () => {
    const db = await connection({ isWriter: true });
    const [opened] = commitGroup(db, [open]) as [{ value: { account: { id: string } } }];
    const { id } = opened.value.account;
    const outcomes = commitGroup(db, [
      grant(id, 5, 'one'),
      grant(id, -1, 'two'),
      grant('nobody', 5, 'one'),
      grant(id, 7, 'three'),
    ]);
    expect(outcomes).toEqual([
      { value: { granted: true, balance: 5 } },
      { error: expect.any(RangeError) },
      { error: expect.objectContaining({ message: 'no account nobody' }) },
      { value: { granted: true, balance: 12 } },
    ]);
    // No part of the group stays if the database itself fails, even if another change failed
    // before.
    db.run('ALTER TABLE secrets RENAME TO other');
    for (const failing of [[], [grant(id, -1, 'two')]]) {
      const group = [grant(id, 9, 'four'), ...failing, { name: 'secret', args: ['a'] } as Write];
      expect(() => commitGroup(db, group)).toThrow('no such table');
    }
    expect(commitGroup(db, [grant(id, 0, 'five')])).toEqual([
      { value: { granted: true, balance: 12 } },
    ]);
    const writer = openWriter(file());
    expect(await writer.commit([grant(id, 1, 'six')])).toEqual([
      { value: { granted: true, balance: 13 } },
    ]);
    await writer.close();
    await expect(writer.commit([])).rejects.toThrow();
  });

  test('a failure crosses threads with its message and SQLite’s code, and nothing else', () => {
    const error = Object.assign(new Error('disk I/O error'), { errcode: 10, path: 'secret' });
    const copied = structuredClone(failureOf(error));
    expect(copied).toEqual({ failure: { message: 'disk I/O error', errcode: 10 } });
    expect(() => outcomesIn(copied)).toThrow(
      expect.objectContaining({ message: 'disk I/O error', errcode: 10 }),
    );
  });

  /** A writer whose transactions the test ends. */
  function slowWriter() {
    const groups: {
      names: unknown[];
      end(outcomes?: Outcome[]): void;
      fail(cause: Error): void;
    }[] = [];
    const commit = (group: readonly Write[]) =>
      new Promise<Outcome[]>((resolve, reject) => {
        const names = group.map(({ args }) => args[0]);
        const echoed = names.map((name): Outcome => ({ value: `${name}` }));
        groups.push({ names, end: (outcomes = echoed) => resolve(outcomes), fail: reject });
      });
    const commits = new GroupCommit({ commit, close: async () => {} });
    const apply = (name: string, client = 'a') =>
      commits.apply({ name: 'secret', args: [name] }, client);
    return { groups, commits, apply };
  }

  const turn = () => new Promise(setImmediate);

  test('is what arrives in one turn, or while another group is written', async () => {
    const { groups, commits, apply } = slowWriter();
    await commits.idle();
    const first = [apply('1'), apply('2')];
    let isIdle = false;
    commits.idle().then(() => {
      isIdle = true;
    });
    expect(groups).toEqual([]);
    await turn();
    await turn();
    const second = [apply('3'), apply('4')];
    await turn();
    expect(groups.map((group) => group.names)).toEqual([['1', '2']]);
    groups[0].end();
    expect(await Promise.all(first)).toEqual(['1', '2']);
    await expect.poll(() => groups.length).toBe(2);
    expect(groups.map((group) => group.names)).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    const third = apply('5');
    const error = new RangeError('a value');
    groups[1].end([{ error }, { value: undefined }]);
    await expect(second[0]).rejects.toBe(error);
    expect(await second[1]).toBeUndefined();
    expect(isIdle).toBe(false);
    await expect.poll(() => groups.length).toBe(3);
    groups[2].end();
    expect(await third).toBe('5');
    await turn();
    expect(isIdle).toBe(true);
    await commits.idle();
    // A later change begins a new group.
    const last = apply('6');
    await expect.poll(() => groups.length).toBe(4);
    groups[3].end();
    expect(await last).toBe('6');
  });

  test('fails as a whole, and the failure is kept until another group succeeds', async () => {
    const { groups, commits, apply } = slowWriter();
    expect(commits.lastFailure).toBeNull();
    const [one, two] = [apply('1'), apply('2')];
    await expect.poll(() => groups.length).toBe(1);
    const three = apply('3');
    const cause = new Error('the disk is full');
    const beganMs = performance.now();
    groups[0].fail(cause);
    for (const failed of await Promise.allSettled([one, two])) {
      expect(failed).toMatchObject({ reason: { name: 'CommitFailed', cause } });
      expect((failed as PromiseRejectedResult).reason).toBeInstanceOf(CommitFailed);
    }
    expect(commits.lastFailure?.error.cause).toBe(cause);
    expect(commits.lastFailure?.atMs).toBeGreaterThanOrEqual(beganMs);
    await expect.poll(() => groups.length).toBe(2);
    groups[1].end();
    expect(await three).toBe('3');
    expect(commits.lastFailure).toBeNull();
  });

  test('is answered in turns of at most eight changes, with the clients in rotation', () =>
    forAll(
      30,
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 60 }),
      async (clients) => {
        const { groups, apply } = slowWriter();
        const answered: number[] = [];
        const all = clients.map(async (client, i) => {
          await apply(String(i), client);
          answered.push(i);
        });
        await turn();
        await turn();
        groups[0].end();
        let before = 0;
        for (let turns = 0; answered.length < clients.length; turns++) {
          expect(turns).toBeLessThanOrEqual(clients.length);
          await turn();
          expect(answered.length - before).toBeLessThanOrEqual(8);
          before = answered.length;
        }
        await Promise.all(all);
        // Each client's changes are answered in order, the n-th of one client before the (n + 1)-th
        // of another.
        const nth = (i: number) => clients.slice(0, i).filter((one) => one === clients[i]).length;
        const rounds = answered.map(nth);
        expect(rounds).toEqual([...rounds].sort((a, b) => a - b));
        expect([...answered].sort((a, b) => a - b)).toEqual(clients.map((_, i) => i));
      },
    ));

  /** Counts the changes answered per turn, leaving out turns without any. */
  async function answersPerTurn(groupSizes: readonly number[], msOfTurn: (turn: number) => number) {
    const { groups, apply } = slowWriter();
    const perTurn: number[] = [];
    const changes = groupSizes.reduce((sum, size) => sum + size, 0);
    let [turns, reads, nowMs] = [0, 0, 0];
    const all: Promise<void>[] = [];
    for (const [i, size] of groupSizes.entries()) {
      for (let n = 0; n < size; n++) {
        const answered = apply(`${i} ${n}`).then(() => {
          perTurn[turns] = (perTurn[turns] ?? 0) + 1;
        });
        all.push(answered);
      }
      for (let wait = 0; groups.length === i && wait < 10; wait++, turns++) await turn();
      // The clock is read before and after the answers of a turn.
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
        if (reads++ % 2 === 1) nowMs += msOfTurn(reads >> 1);
        return nowMs;
      });
      onTestFinished(() => clock.mockRestore());
      groups[i].end();
    }
    const answers = () => perTurn.reduce((sum, n) => sum + (n ?? 0), 0);
    for (; turns < 100 && answers() < changes; turns++) await turn();
    await Promise.all(all);
    return perTurn.filter(Boolean);
  }

  test('has fewer answers in a turn after a long one, and then more again', async () => {
    expect(await answersPerTurn([20], () => 4)).toEqual([8, 8, 4]);
    expect(await answersPerTurn([20], () => 4.001)).toEqual([8, 4, 2, 1, 1, 1, 1, 1, 1]);
    const slowAtFirst = (turn: number) => (turn <= 2 ? 9 : 0);
    expect(await answersPerTurn([64], slowAtFirst)).toEqual([8, 4, 2, 3, 4, 5, 6, 7, 8, 8, 8, 1]);
  });

  test('is answered after earlier groups, with as many answers per turn as if they were one group', async () => {
    expect(await answersPerTurn([40, 20], () => 0)).toEqual([8, 8, 8, 8, 8, 8, 8, 4]);
  });
});

describe('a ledger', () => {
  const OPTIONS = { rateLimitPerMinute: 1 };
  const address = () => `sqlite:${folder}/own`;

  test('fails its ping for ten seconds after a failed change, unless another change succeeds', async () => {
    const ledger = await ofThisTest(openLedger(address(), OPTIONS));
    const { id } = await newAccount(ledger);
    const blocker = await ofThisTest(new SqlConnection(`${folder}/own/ledger.db`));
    const grant = (cause: string) => ledger.grant(id, { tokens: 1, cause, atMs: 1 }, 'operator');
    const said = /^ledger .*\/own: .*process .*keeps it locked; .*try again$/;
    for (const recovers of ['by time', 'by a change']) {
      blocker.run('BEGIN IMMEDIATE');
      const clock = clockThat(11_000);
      await expect(grant(recovers)).rejects.toThrow(said);
      clock.mockRestore();
      const failedMs = performance.now();
      blocker.run('ROLLBACK');
      const later = vi.spyOn(performance, 'now').mockReturnValue(failedMs);
      onTestFinished(() => later.mockRestore());
      await expect(ledger.ping()).rejects.toThrow(said);
      // The ledger can be read meanwhile.
      expect((await ledger.account(id))!.balance).toBe(0);
      if (recovers === 'by time') later.mockReturnValue(failedMs + 60_000);
      else await grant('another');
      await ledger.ping();
      later.mockRestore();
    }
  });

  test('that is closed reports so, even if it was closed twice', async () => {
    const ledger = await openLedger(address(), OPTIONS);
    const { id } = await newAccount(ledger);
    const last = ledger.grant(id, { tokens: 1, cause: 'last', atMs: 1 }, 'operator');
    await Promise.all([ledger.close(), ledger.close()]);
    // The change that was under way has been made.
    expect(await last).toEqual({ granted: true, balance: 1 });
    const said = `${folder}/own: the ledger is closed`;
    for (const ask of [
      () => ledger.account(id),
      () => ledger.grant(id, { tokens: 1, cause: 'late', atMs: 1 }, 'operator'),
      () => ledger.ping(),
    ]) {
      await expect(ask()).rejects.toThrow(new LedgerUnavailable(said));
    }
  });

  test('is missing if its file does not exist', async () => {
    expect(isMissingLedger(address())).toBe(true);
    await mkdir(`${folder}/own`);
    expect(isMissingLedger(address())).toBe(true);
    await (await openLedger(address(), OPTIONS)).close();
    expect(isMissingLedger(address())).toBe(false);
    expect(isMissingLedger('redis://127.0.0.1:1')).toBe(false);
    expect(() => isMissingLedger('mysql://x')).toThrow(TypeError);
  });
});

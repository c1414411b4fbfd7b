import { randomBytes } from 'node:crypto';
import { importedState } from '../entries.ts';
import { mailboxOf } from '../mailbox.ts';
import { account, accountOfMailbox, audit, stateOf, writeState } from './account-state.ts';
import { usage } from './balances.ts';
import { delayedGrant, delayGrant } from './delayed-grants.ts';
import type { OnSqlite } from './sql-connection.ts';

export const formerMailboxes: OnSqlite<'formerMailboxes'> = (db) => {
  const rows = db.all<{ hash: string; disabled: number }>('SELECT * FROM former_mailboxes');
  return rows.map(({ hash, disabled }) => ({ hash, disabled: disabled !== 0 }));
};

export const importFormerMailboxes: OnSqlite<'importFormerMailboxes'> = (db, mailboxes) => {
  for (const mailbox of mailboxes) {
    const sql = 'INSERT INTO former_mailboxes VALUES (?, ?) ON CONFLICT DO NOTHING';
    db.run(sql, mailbox.hash, Number(mailbox.disabled));
  }
};

export const exportAccount: OnSqlite<'exportAccount'> = (db, id) =>
  db.snapshot(() => {
    const state = stateOf(db, id);
    if (!state) return undefined;
    return {
      account: state.account,
      keys: state.keys(),
      grants: state.grants(),
      usage: usage(db, id),
      audit: audit(db, id).reverse(),
      delayedGrant: delayedGrant(db, id) ?? null,
    };
  });

export const importAccount: OnSqlite<'importAccount'> = (db, taken) => {
  const { id, email } = taken.account;
  if (account(db, id)) return false;
  if (email !== null && accountOfMailbox(db, mailboxOf(email))) return false;
  writeState(db, undefined, importedState(taken));
  for (const used of taken.usage) db.insert('usage', { account: id, ...used });
  if (taken.delayedGrant) delayGrant(db, id, taken.delayedGrant);
  return true;
};

export const secret: OnSqlite<'secret'> = (db, name) => {
  const made = randomBytes(32).toString('base64url');
  db.run('INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING', name, made);
  return db.get<{ secret: string }>('SELECT secret FROM secrets WHERE name = ?', name)!.secret;
};

export const secrets: OnSqlite<'secrets'> = (db) => {
  const rows = db.all<{ name: string; secret: string }>('SELECT * FROM secrets');
  return Object.fromEntries(rows.map((row) => [row.name, row.secret]));
};

export const importSecrets: OnSqlite<'importSecrets'> = (db, taken) => {
  for (const [name, text] of Object.entries(taken)) {
    db.run('INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING', name, text);
  }
};

import { randomBytes } from 'node:crypto';
import type { SqlConnection } from './sql-connection.ts';

/** Returns a secret by its name, created on first use. */
export function secret(db: SqlConnection, name: string): string {
  const made = randomBytes(32).toString('base64url');
  db.run('INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING', name, made);
  return db.get<{ secret: string }>('SELECT secret FROM secrets WHERE name = ?', name)!.secret;
}

export function secrets(db: SqlConnection): Record<string, string> {
  const rows = db.all<{ name: string; secret: string }>('SELECT * FROM secrets');
  return Object.fromEntries(rows.map((row) => [row.name, row.secret]));
}

/** Imports secrets; existing ones stay unchanged. */
export function importSecrets(db: SqlConnection, taken: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(taken)) {
    db.run('INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING', name, text);
  }
}

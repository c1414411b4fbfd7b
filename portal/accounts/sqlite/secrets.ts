import { randomBytes } from 'node:crypto';
import type { Books } from './books.ts';

/** A secret by its name, created on first use. */
export function secret(books: Books, name: string): string {
  const made = randomBytes(32).toString('base64url');
  books.run('INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING', name, made);
  return books.get<{ secret: string }>('SELECT secret FROM secrets WHERE name = ?', name)!.secret;
}

export function secrets(books: Books): Record<string, string> {
  const rows = books.all<{ name: string; secret: string }>('SELECT * FROM secrets');
  return Object.fromEntries(rows.map((row) => [row.name, row.secret]));
}

/** Existing secrets stay unchanged. */
export function importSecrets(books: Books, taken: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(taken)) {
    books.run('INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING', name, text);
  }
}

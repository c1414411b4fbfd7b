import { randomBytes } from 'node:crypto';
import type { LedgerBatch } from './batch.ts';
import type { Books } from './books.ts';

/** A secret by its name, made when first asked for. */
export function secret({ books }: LedgerBatch, name: string): string {
  const kept = books.secrets.get(name);
  if (kept !== undefined) return kept;
  const made = randomBytes(32).toString('base64url');
  books.secrets.put(name, made);
  return made;
}

export function secrets(books: Books): Record<string, string> {
  return Object.fromEntries(
    Array.from(books.secrets.getRange({}), ({ key, value }) => [key, value]),
  );
}

/** Those that are there already stay as they are. */
export function importSecrets(
  { books }: LedgerBatch,
  taken: Readonly<Record<string, string>>,
): void {
  for (const [name, text] of Object.entries(taken)) {
    if (!books.secrets.doesExist(name)) books.secrets.put(name, text);
  }
}

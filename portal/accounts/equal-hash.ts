import { timingSafeEqual } from 'node:crypto';

/**
 * Whether two hashes or secrets of one length, as text, are the same; it takes as long whatever
 * they have in common.
 */
export function isEqualHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

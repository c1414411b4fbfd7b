import { timingSafeEqual } from 'node:crypto';

/** Whether two hashes or secrets of equal length are the same text, in constant time. */
export function isEqualHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

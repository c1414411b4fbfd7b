import { timingSafeEqual } from 'node:crypto';

/** Whether two hashes or secrets are equal; takes constant time for texts of equal length. */
export function isEqualHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

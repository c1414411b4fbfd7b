import { crc32c } from './crc32c.ts';

/** Number of hex digits of an object's SHA-256 in its name; the manifest has them all. */
const HASH_DIGITS = 16;

/**
 * The name of an object in a store: a stem of its kind and area, such as `nearest/24510`, and the
 * start of its hash.
 */
export function objectName(stem: string, sha256: string, extension: string): string {
  return `${stem}-${sha256.slice(0, HASH_DIGITS)}.${extension}`;
}

export function nameHash(name: string): string {
  return name.slice(name.lastIndexOf('-') + 1, name.indexOf('.'));
}

/**
 * CRC-32C of a stem, which seeds the checksums in the object, so that they fail under a name of
 * another kind or area.
 */
export function stemSum(stem: string): number {
  return crc32c(new TextEncoder().encode(stem));
}

let latest = { name: '', sum: 0 };

/** `stemSum` of an object's name. The latest is kept, since an object has many rows. */
export function nameSum(name: string): number {
  if (name !== latest.name) latest = { name, sum: stemSum(name.replace(/-[^-]*$/, '')) };
  return latest.sum;
}

import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { exportRelease } from '../../builder/export/export-release.ts';
import { TABLE_NAMES } from '../../builder/export/tables.ts';
import { silent } from '../../builder/progress.ts';
import { releaseIn } from '../support/release-in.ts';
import { MemoryStore } from './memory-store.ts';

/**
 * Exports the release in a store as Parquet, and returns the first column that has a number which
 * is not finite; null if none has.
 */
export async function firstOddNumber(store: MemoryStore): Promise<string | null> {
  const release = await releaseIn(store);
  const counties = release.counties.map(({ fips }) => fips);
  const out = new MemoryStore();
  await exportRelease(release, { tables: TABLE_NAMES, counties, format: 'parquet' }, out, silent);
  for (const [name, bytes] of out.objects) {
    if (!name.endsWith('.parquet')) continue;
    const rows = await parquetReadObjects({ file: Uint8Array.from(bytes).buffer, compressors });
    for (const row of rows) {
      const odd = Object.entries(row).find(([, value]) => hasOddNumber(value));
      if (odd) return `${name}: ${odd[0]}`;
    }
  }
  return null;
}

function hasOddNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasOddNumber);
}

import type { Release } from '../../shards/release/release.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { dataDictionary } from './dictionary.ts';
import { duckdbViews } from './duckdb-views.ts';
import { type ExportedFile, type ExportedFiles, FILES } from './exported-files.ts';
import { stacCollection } from './stac-collection.ts';
import { TABLE_NAMES } from './tables.ts';
import { attributionText, licenceText } from './terms.ts';

/** Writes what lies beside the tables of a release. */
export async function writeCompanions(
  release: Release,
  files: readonly ExportedFile[],
  out: WritableStore,
  root: string,
): Promise<void> {
  const { manifest, version } = release;
  const list: ExportedFiles = { release: manifest.release, version, files: [...files] };
  const texts: Readonly<Record<string, string>> = {
    'ATTRIBUTION.txt': attributionText(release),
    'DICTIONARY.md': dataDictionary(release),
    'LICENSE.txt': licenceText(TABLE_NAMES),
    'collection.json': json(stacCollection(release, files, root)),
    'views.sql': duckdbViews(files, root),
    SHA256SUMS: sha256Sums(files, root),
    // Last: verification begins with it.
    [FILES]: json(list),
  };
  for (const [name, text] of Object.entries(texts)) {
    await out.putContent(`${root}/${name}`, Buffer.from(text));
  }
}

const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;

/** As `sha256sum` writes and checks it, in the folder of the release. */
function sha256Sums(files: readonly ExportedFile[], root: string): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name.slice(root.length + 1)}\n`).join('');
}

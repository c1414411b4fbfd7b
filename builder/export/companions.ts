import { createHash } from 'node:crypto';
import type { Release } from '../../shards/release/release.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import { dataDictionary } from './dictionary.ts';
import { duckdbViews } from './duckdb-views.ts';
import { type ExportedFile, type ExportedFiles, FILES } from './exported-files.ts';
import { bandStyle, blockStyle } from './qgis-styles.ts';
import { stacCollection } from './stac-collection.ts';
import { TABLE_NAMES } from './tables.ts';
import { attributionText, licenceText } from './terms.ts';

/** Writes the texts and styles that accompany the tables of a release. */
export async function writeCompanions(
  release: Release,
  files: readonly ExportedFile[],
  out: WritableStore,
  root: string,
): Promise<void> {
  const { manifest, version } = release;
  const views = duckdbViews(files, root);
  const texts: Readonly<Record<string, string>> = {
    'ATTRIBUTION.txt': attributionText(release),
    'DICTIONARY.md': dataDictionary(release),
    'LICENSE.txt': licenceText(TABLE_NAMES),
    'bands.qml': bandStyle(),
    'blocks.qml': blockStyle(release),
    'collection.json': json(stacCollection(release, files, root)),
    ...(views !== null && { 'views.sql': views }),
  };
  const companions = Object.entries(texts).map(([name, text]): ObjectRef => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { name: `${root}/${name}`, bytes: Buffer.byteLength(text), sha256 };
  });
  const list: ExportedFiles = {
    release: manifest.release,
    version,
    files: [...files],
    companions,
  };
  const all = {
    ...texts,
    SHA256SUMS: sha256Sums([...files, ...companions], root),
    // Written last, since verification begins with this file.
    [FILES]: json(list),
  };
  for (const [name, text] of Object.entries(all)) {
    await out.putContent(`${root}/${name}`, Buffer.from(text));
  }
}

const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;

/** Formats checksums as `sha256sum` writes and checks them in the folder of the release. */
function sha256Sums(files: readonly ObjectRef[], root: string): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name.slice(root.length + 1)}\n`).join('');
}

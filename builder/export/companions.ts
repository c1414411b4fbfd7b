import type { Release } from '../../shards/release/release.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { type ExportedFile, type ExportedFiles, FILES } from './exported-files.ts';

/** Writes what lies beside the tables of a release. */
export async function writeCompanions(
  { manifest, version }: Release,
  files: readonly ExportedFile[],
  out: WritableStore,
  root: string,
): Promise<void> {
  const list: ExportedFiles = { release: manifest.release, version, files: [...files] };
  const texts: Readonly<Record<string, string>> = {
    SHA256SUMS: sha256Sums(files, root),
    [FILES]: `${JSON.stringify(list, null, 1)}\n`,
  };
  for (const [name, text] of Object.entries(texts)) {
    await out.putContent(`${root}/${name}`, Buffer.from(text));
  }
}

/** As `sha256sum` writes and checks it, in the folder of the release. */
function sha256Sums(files: readonly ExportedFile[], root: string): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name.slice(root.length + 1)}\n`).join('');
}

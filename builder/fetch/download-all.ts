import { counted } from '../../shards/number-words.ts';
import { BuildError, NotFound } from '../errors.ts';
import { MEGABYTE, type Progress, startBytes } from '../progress.ts';
import { type Download, download, expectedBytes } from './download.ts';
import type { FetchFolder } from './fetch-folder.ts';
import type { Http } from './http.ts';

export interface FetchSession {
  readonly http: Http;
  readonly folder: FetchFolder;
  readonly progress: Progress;
}

/**
 * Downloads files, in parallel across servers, and returns for each, in order, null or the
 * `BuildError` that it failed with. A failure does not stop the other downloads.
 */
export async function downloadAll(
  name: string,
  files: readonly Download[],
  { http, folder, progress }: FetchSession,
): Promise<(BuildError | null)[]> {
  if (files.length === 0) return [];
  const expected = await Promise.all(files.map((file) => expectedBytes(file, http, folder)));
  const total = expected.includes(null)
    ? null
    : expected.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
  const stage = startBytes(progress, name, total);
  let bytes = 0;
  const outcomes = await Promise.allSettled(
    files.map((file) =>
      download(file, http, folder, (count) => {
        bytes += count;
        stage.at(bytes);
      }),
    ),
  );
  const errors = outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return null;
    if (outcome.reason instanceof BuildError) return outcome.reason;
    throw outcome.reason;
  });
  const had = errors.filter((error) => error === null).length;
  const came = bytes === 0 ? 'nothing new' : `${(bytes / MEGABYTE).toFixed(1)} MB`;
  stage.finish(`${had} of ${counted(files.length, 'file')}, ${came}`);
  return errors;
}

/**
 * Downloads files, all of which are required, and returns their paths. Throws the first
 * `BuildError` once the other downloads are done.
 */
export async function requireAll(
  name: string,
  files: readonly Download[],
  session: FetchSession,
): Promise<string[]> {
  const errors = await downloadAll(name, files, session);
  for (const error of errors) if (error) throw error;
  return files.map(({ file }) => session.folder.path(file));
}

/**
 * Downloads the first of some files that its server has, since a mirror need not have all; returns
 * which. Throws the `BuildError` of the first if there is none.
 */
export async function firstFound(
  name: string,
  files: readonly Download[],
  session: FetchSession,
): Promise<Download> {
  let first: BuildError | null = null;
  for (const file of files) {
    const [error] = await downloadAll(name, [file], session);
    if (error === null) return file;
    if (!(error instanceof NotFound)) throw error;
    first ??= error;
  }
  throw first;
}

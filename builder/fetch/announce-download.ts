import { counted, megabytes } from '../../shards/number-words.ts';
import type { Bytes, Seconds } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { duration } from '../progress.ts';
import { type Download, expectedBytes } from './download.ts';
import type { FetchSession } from './download-all.ts';
import { freeBytesIn } from './fetch-folder.ts';

/** Downloads of a kind, such as `streets`. */
interface DownloadGroup {
  readonly name: string;
  readonly files: readonly Download[];
}

/** Returns whether to go on, given the sizes and the time in words. */
export type ConfirmDownload = (announcement: string) => Promise<boolean>;

/** Size from which a download needs to be confirmed. */
const LARGE: Bytes = 100e6;
/** Rate in bytes per second by which the time is estimated: 40 Mbit/s. */
const ASSUMED_RATE = 5e6;

/**
 * Tells sizes and time of the downloads that follow, and has large ones confirmed. Throws a
 * `BuildError` if that is denied, or if the disk has no room for them. `others` names downloads
 * whose size cannot be known in advance.
 */
export async function announceDownload(
  groups: readonly DownloadGroup[],
  others: readonly string[],
  confirm: ConfirmDownload,
  { http, folder, progress }: FetchSession,
): Promise<void> {
  const expected = await Promise.all(
    groups.map(async ({ name, files }) => {
      const sizes = await Promise.all(files.map((file) => expectedBytes(file, http, folder)));
      return { name, sizes };
    }),
  );
  const all = expected.flatMap(({ sizes }) => sizes);
  const [news, unknown] = [all.filter((bytes) => bytes !== 0), all.filter((b) => b === null)];
  const total = sumOf(all);
  const kinds = expected
    .filter(({ sizes }) => sumOf(sizes) > 0)
    .map(({ name, sizes }) => `${name} ${megabytes(sumOf(sizes))}`);
  const seconds: Seconds = total / ASSUMED_RATE;
  const announcement = [
    news.length === 0
      ? 'to download: nothing new'
      : `to download: ${megabytes(total)} in ${counted(news.length, 'file')} (${kinds.join(', ')}), about ${duration(seconds)} at ${megabytes(ASSUMED_RATE)}/s`,
    ...(unknown.length > 0 ? [`the size of ${counted(unknown.length, 'file')} is not known`] : []),
    ...others.map((other) => `the size of ${other} shows as they are read`),
  ].join('; ');
  progress.note(announcement);
  const free = await freeBytesIn(folder.path(''));
  if (total > free) {
    throw new BuildError(
      `${folder.path('')}: has room for ${megabytes(free)}, but ${megabytes(total)} are to be downloaded; free some space, or use another --out`,
    );
  }
  if (total >= LARGE && !(await confirm(announcement))) {
    throw new BuildError('the download was declined; run the same command again to start it');
  }
}

function sumOf(sizes: readonly (Bytes | null)[]): Bytes {
  return sizes.reduce<Bytes>((sum, bytes) => sum + (bytes ?? 0), 0);
}

import { TransientError } from '../../shards/concurrency/retry.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { digestsOf } from '../inputs/fingerprint.ts';
import type { FetchFolder, Source } from './fetch-folder.ts';
import { type Http, type HttpResponse, lengthOf, rangeOf, refusal, tooLarge } from './http.ts';
import { PartFile, type Version } from './part-file.ts';

export interface Download {
  readonly url: string;
  /** Path of the file within the folder of the fetch. */
  readonly file: string;
  /** URL of the file's MD5 in the format of `md5sum`, if there is one. */
  readonly md5Url?: string;
  /** SHA-256 of the file in hex, if the publisher states it. */
  readonly sha256?: string | undefined;
  /** Age up to which an existing file is kept without asking its server. */
  readonly keepForMs?: Millis;
  /** Maximum size, larger than such a file ever is; anything beyond is rejected. */
  readonly maxBytes: Bytes;
  /** Validates the file; throws a `BuildError` if it is not what it should be. */
  check(path: string): Promise<void>;
}

/**
 * Downloads a file, and returns its path once it is complete, checked and in place. An existing,
 * unchanged file is kept; an interrupted download resumes, unless the file has changed. `onBytes`
 * is called as bytes arrive. Throws a `BuildError` that names the URL; an invalid file is not kept.
 */
export async function download(
  wanted: Download,
  http: Http,
  folder: FetchFolder,
  onBytes: (count: Bytes) => void,
): Promise<string> {
  const path = folder.path(wanted.file);
  const kept = await keptOf(wanted, folder);
  if (kept !== null && isYoung(kept, wanted)) return path;
  const part = await PartFile.open(path, wanted.url);
  const version = await http.retry(
    wanted.url,
    () => transfer(wanted, http, part, kept, onBytes),
    () => part.size,
  );
  if (version === null) return path;

  const stated = wanted.md5Url === undefined ? null : await http.text(wanted.md5Url);
  const digests = await digestsOf(part.path);
  try {
    if (stated !== null) checkMd5(wanted.url, wanted.md5Url!, stated, digests.md5);
    checkSha256(wanted, digests.sha256);
    await checkContent(wanted, part.path);
  } catch (error) {
    await part.discard();
    throw error;
  }
  await part.finish();
  await folder.note(wanted.file, {
    url: wanted.url,
    fetched_at: new Date().toISOString(),
    bytes: digests.bytes,
    sha256: digests.sha256,
    etag: version.etag,
    last_modified: version.last_modified,
  });
  return path;
}

/** Returns the record of an existing, undamaged file of the same URL; null if there is none. */
async function keptOf({ file, url }: Download, folder: FetchFolder): Promise<Source | null> {
  const known = await folder.source(file);
  return known?.url === url ? known : null;
}

function isYoung({ fetched_at }: Source, { keepForMs = 0 }: Download): boolean {
  const ageMs = Date.now() - Date.parse(fetched_at);
  return ageMs >= 0 && ageMs < keepForMs;
}

/**
 * Returns the number of bytes likely to be downloaded; null if the server does not state the size.
 */
export async function expectedBytes(
  wanted: Download,
  http: Http,
  folder: FetchFolder,
): Promise<Bytes | null> {
  const kept = await keptOf(wanted, folder);
  if (kept !== null && isYoung(kept, wanted)) return 0;
  const size = await http.sizeOf(wanted.url);
  if (size === null) return null;
  if (kept?.bytes === size) return 0;
  const part = await PartFile.open(folder.path(wanted.file), wanted.url);
  return part.version?.bytes === size ? size - part.size : size;
}

/**
 * Completes the part on disk and returns its version; null if the previously downloaded file is
 * still current.
 */
async function transfer(
  { url, maxBytes }: Download,
  http: Http,
  part: PartFile,
  kept: Source | null,
  onBytes: (count: Bytes) => void,
): Promise<Version | null> {
  const isWhole = part.version !== null && part.version.bytes === part.size;
  const headers = isWhole ? ifChanged(part.version) : (part.resumeHeaders() ?? ifChanged(kept));
  const response = await http.ask('GET', url, headers);
  if (response.status === 304) {
    await response.body.dump();
    return isWhole ? part.version : null;
  }
  if (response.status === 206 && isRest(response, part)) {
    await part.append(response.body, maxBytes, onBytes);
  } else if (response.status === 206 || response.status === 416) {
    await response.body.dump();
    await part.discard();
    throw new TransientError('does not have the rest of the file; starting over');
  } else if (response.status === 200) {
    const version = await versionOf(url, response);
    if (version.bytes !== null && version.bytes > maxBytes) {
      await response.body.dump();
      throw tooLarge(url, maxBytes);
    }
    await part.restart(version);
    await part.append(response.body, maxBytes, onBytes);
  } else {
    throw await refusal(url, response);
  }
  return part.version;
}

function ifChanged(version: Pick<Source, 'etag' | 'last_modified'> | null): Record<string, string> {
  if (version?.etag) return { 'if-none-match': version.etag };
  if (version?.last_modified) return { 'if-modified-since': version.last_modified };
  return {};
}

/** Whether a response contains exactly the rest of the part, of the same version. */
function isRest(response: HttpResponse, { size, version }: PartFile): boolean {
  const range = rangeOf(response);
  if (range === null || range.from !== size || version === null) return false;
  const etag = response.header('etag') ?? version.etag;
  const total = range.total ?? version.bytes;
  return etag === version.etag && total === (version.bytes ?? total);
}

async function versionOf(url: string, response: HttpResponse): Promise<Version> {
  const encoding = response.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    await response.body.dump();
    throw new BuildError(
      `${url}: is sent with content-encoding ${encoding}, which was not requested; use another server`,
    );
  }
  return {
    url,
    etag: response.header('etag') ?? null,
    last_modified: response.header('last-modified') ?? null,
    bytes: lengthOf(response),
  };
}

function checkMd5(url: string, md5Url: string, text: string, actual: string): void {
  const stated = /^\s*([0-9a-f]{32})\b/i.exec(text)?.[1].toLowerCase();
  if (stated === undefined) {
    throw new BuildError(`${md5Url}: contains no MD5, so ${url} cannot be verified`);
  }
  if (stated !== actual) {
    throw new BuildError(
      `${url}: its MD5 is ${actual}, but ${md5Url} has ${stated}; it was corrupted in transit or is being replaced: run the command again`,
    );
  }
}

function checkSha256({ url, sha256 }: Download, actual: string): void {
  if (sha256 === undefined || sha256 === actual) return;
  throw new BuildError(
    `${url}: its SHA-256 is ${actual}, but its publisher lists ${sha256}; it was corrupted in transit or is being replaced: run the command again`,
  );
}

async function checkContent(wanted: Download, path: string): Promise<void> {
  try {
    await wanted.check(path);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const finding = error.message.replace(`${path}: `, '');
    throw new BuildError(`${wanted.url}: the download is not the expected file: ${finding}`);
  }
}

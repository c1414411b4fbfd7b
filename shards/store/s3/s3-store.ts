import { Readable } from 'node:stream';
import type { S3, S3ServiceException } from '@aws-sdk/client-s3';
import { nullIfMissing, StoreError } from '../../errors.ts';
import type { Bytes } from '../../units.ts';
import { HeldLocks, LOCK_LAPSES_MS } from '../held-locks.ts';
import { transientFault } from '../http/network-errors.ts';
import { bufferBody, type PutBody, putBodyOf, sha256Of } from '../put-body.ts';
import { isAsRecorded } from '../recorded-hash.ts';
import { LOCK_NAME, type Lock, type StoredObject, type WritableStore } from '../store.ts';
import { s3Name } from './s3-address.ts';
import { s3Problem } from './s3-errors.ts';
import { takeObjectLock } from './s3-lock.ts';
import { S3Reader } from './s3-reader.ts';

/** Name of a leftover: an incomplete multipart upload to this key. */
const UPLOAD = /^(.*)\?uploadId=(.+)$/;
const PART_BYTES: Bytes = 16 * 2 ** 20;
const PARTS_AT_ONCE = 3;
const TRIES = 5;
const CONNECT_MS = 5_000;
/** Timeout of a connection that uploads a part of 16 MiB. */
const SILENCE_MS = 20_000;

const REMOVED = 'was removed by another process in the meantime';

/** Cache headers for readers behind a cache: object names carry their hash. */
const FOR_EVER = { CacheControl: 'public, max-age=31536000, immutable' };
const UNTIL_REPLACED = { CacheControl: 'no-cache' };

/**
 * A store in an S3 bucket: `s3://bucket/prefix`. Objects carry their SHA-256 in their metadata, so
 * that they can be identified without reading them. Large bodies are uploaded in parts and appear
 * with the last one. Locks are objects; a store that has lost one rejects all writes and removals
 * until it is released. The bucket must exist, and its server must honour conditional puts.
 */
export class S3Store extends S3Reader implements WritableStore {
  /** Loaded on demand: the client is slow to load, and reading does not need it. */
  #client: Promise<S3> | null = null;
  readonly #locks: HeldLocks;

  /** `lockLapsesMs`: how soon locks taken here may be taken over once their owner has died. */
  constructor(location: string, lockLapsesMs = LOCK_LAPSES_MS) {
    super(location);
    this.#locks = new HeldLocks(lockLapsesMs);
  }

  holdsFile(): boolean {
    return false;
  }

  async topNames(): Promise<string[]> {
    const { objects, folders } = await this.#listed('');
    return [...objects.map(({ name }) => name), ...folders];
  }

  async putContent(name: string, object: PutBody | Uint8Array): Promise<'written' | 'present'> {
    await this.#locks.require();
    const content = object instanceof Uint8Array ? putBodyOf(object) : object;
    const sha256 = await sha256Of(content);
    if (await isAsRecorded(this, { name, bytes: content.bytes, sha256 })) return 'present';
    const put = { ...this.#objectOf(name), ...FOR_EVER, Metadata: { sha256 } };
    await this.#ask(name, async (client) => {
      if (content.bytes <= PART_BYTES) {
        await client.putObject({ ...put, Body: await bufferBody(content) });
        return;
      }
      const { Upload } = await import('@aws-sdk/lib-storage');
      const params = { ...put, Body: Readable.from(content.chunks()) };
      await new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done();
    });
    return 'written';
  }

  async putConditional(name: string, bytes: Uint8Array, expected: string | null): Promise<string> {
    await this.#locks.require();
    return this.#putConditional(name, bytes, expected);
  }

  async #putConditional(name: string, bytes: Uint8Array, expected: string | null): Promise<string> {
    const condition = expected === null ? { IfNoneMatch: '*' } : { IfMatch: bare(expected) };
    return this.#ask(name, async (client) => {
      try {
        const put = { ...this.#objectOf(name), ...UNTIL_REPLACED, Body: bytes, ...condition };
        return (await client.putObject(put)).ETag ?? '';
      } catch (error) {
        // After a lost response, only a read shows whether the write was carried out.
        const { attempts = 1 } = (error as S3ServiceException).$metadata ?? {};
        const there = attempts > 1 ? await this.readWhole(name).catch(() => null) : null;
        if (there !== null && Buffer.from(there.bytes).equals(bytes)) return there.identity;
        const explained = this.#explained(name, error);
        if (explained.failure !== 'missing') throw explained;
        // The object had the expected identity, and has been removed since.
        throw new StoreError('conflict', s3Name(this.address, name), REMOVED, { cause: error });
      }
    });
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const { objects } = await this.#listed(prefix);
    return objects.filter(({ name }) => !LOCK_NAME.test(name)).sort(byName);
  }

  async leftovers(prefix: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    let after: { KeyMarker?: string; UploadIdMarker?: string } = {};
    for (;;) {
      const page = await this.#ask(prefix, (client) =>
        client.listMultipartUploads({ ...this.#under(prefix), ...after }),
      );
      for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? []) {
        const name = `${this.#nameOf(Key)}?uploadId=${UploadId}`;
        found.push({ name, bytes: 0, modifiedMs: Initiated?.getTime() ?? 0 });
      }
      if (!page.IsTruncated) return found.sort(byName);
      after = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  async remove(name: string): Promise<void> {
    await this.#locks.require();
    await this.#remove(name);
  }

  async #remove(name: string): Promise<void> {
    const [, key, UploadId] = UPLOAD.exec(name) ?? [];
    try {
      await this.#ask(name, async (client) => {
        if (key === undefined) await client.deleteObject(this.#objectOf(name));
        else await client.abortMultipartUpload({ ...this.#objectOf(key), UploadId });
      });
    } catch (error) {
      if (!(error instanceof StoreError && error.failure === 'missing')) throw error;
    }
  }

  async lock(name: string): Promise<Lock> {
    const object = {
      read: async () => {
        const there = await nullIfMissing(this.readNow(name, true));
        if (there === null) return null;
        const { bytes, etag, ageMs } = there;
        return { text: Buffer.from(bytes).toString(), identity: etag, ageMs };
      },
      replace: async (text: string, identity: string | null) => {
        try {
          return await this.#putConditional(name, Buffer.from(text), identity);
        } catch (error) {
          if (error instanceof StoreError && error.failure === 'conflict') return null;
          throw error;
        }
      },
      remove: () => this.#remove(name),
    };
    const lock = await takeObjectLock(object, this.#locks.lapsesMs);
    return this.#locks.keep(s3Name(this.address, name), lock);
  }

  override async close(): Promise<void> {
    await super.close();
    (await this.#client)?.destroy();
  }

  /** Lists everything directly under a prefix, across all pages. */
  async #listed(prefix: string): Promise<{ objects: StoredObject[]; folders: string[] }> {
    const objects: StoredObject[] = [];
    const folders: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await this.#ask(prefix, (client) =>
        client.listObjectsV2({ ...this.#under(prefix), ContinuationToken }),
      );
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        const modifiedMs = LastModified?.getTime() ?? 0;
        objects.push({ name: this.#nameOf(Key), bytes: Size, modifiedMs });
      }
      for (const { Prefix = '' } of page.CommonPrefixes ?? []) {
        folders.push(this.#nameOf(Prefix).slice(0, -1));
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    return { objects, folders };
  }

  #objectOf(name: string) {
    return { Bucket: this.address.bucket, Key: `${this.address.prefix}${name}` };
  }

  #under(prefix: string) {
    const { bucket, prefix: own } = this.address;
    return { Bucket: bucket, Prefix: `${own}${prefix}`, Delimiter: '/' };
  }

  #nameOf(key: string): string {
    return key.slice(this.address.prefix.length);
  }

  /**
   * Makes a call with the S3 client, which retries transient failures; rejects with a `StoreError`.
   */
  async #ask<T>(name: string, ask: (client: S3) => Promise<T>): Promise<T> {
    this.#client ??= this.#connect();
    try {
      return await ask(await this.#client);
    } catch (error) {
      throw this.#explained(name, error);
    }
  }

  async #connect(): Promise<S3> {
    // Suppresses the SDK's notice about the Node version, which users building a release cannot act
    // on.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    const { S3 } = await import('@aws-sdk/client-s3');
    const { endpoint, region, credentials } = this.access;
    return new S3({
      region,
      credentials,
      maxAttempts: TRIES,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
      ...(endpoint !== null && { endpoint: endpoint.href, forcePathStyle: true }),
      // Not all servers support checksum trailers; the signature covers the bytes.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  #explained(name: string, error: unknown): StoreError {
    const { $metadata, $response, name: code } = error as S3ServiceException;
    const object = s3Name(this.address, name);
    const status = $metadata?.httpStatusCode;
    if (status === undefined) {
      const fault = transientFault(this.access.endpoint?.origin ?? 's3.amazonaws.com', error);
      if (fault instanceof StoreError) return fault;
      return new StoreError('unavailable', object, (fault as Error).message, { cause: error });
    }
    const region = String($response?.headers['x-amz-bucket-region'] ?? '');
    // The response to a HEAD has no code; the client makes one up.
    const refusal = { status, code: code === 'NotFound' || code === 'Unknown' ? '' : code, region };
    const problem = `the server responded with ${status} ${code} (${TRIES} attempts)`;
    return (
      s3Problem(this.address, name, refusal) ??
      new StoreError('unavailable', object, problem, { cause: error })
    );
  }
}

/**
 * Strips the quotes of an ETag: some servers require conditions without quotes, and all accept
 * them.
 */
function bare(etag: string): string {
  return etag.replaceAll('"', '');
}

function byName(a: StoredObject, b: StoredObject): number {
  return a.name < b.name ? -1 : 1;
}

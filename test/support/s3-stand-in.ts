import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An object of a bucket. */
interface S3Object {
  readonly body: Buffer;
  /** ETag in quotes, as in headers. */
  readonly etag: string;
  readonly modifiedMs: number;
  /** Metadata that the uploader set, by the names of response headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An upload in parts that is not complete. */
interface S3Upload {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly begunMs: number;
  readonly parts: Map<number, Buffer>;
}

interface Bucket {
  readonly objects: Map<string, S3Object>;
  /** Incomplete uploads by upload id. */
  readonly uploads: Map<string, S3Upload>;
}

/**
 * A server that speaks S3 as in the API reference, as far as a store needs it. It accepts a request
 * only if its signature (AWS Signature Version 4, computed here from the specification) and the
 * hash of its body are right.
 */
export interface S3StandIn {
  readonly endpoint: string;
  /** Environment variables with which a client reaches the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Buckets by name; a bucket exists if this map has it. */
  readonly buckets: Map<string, Bucket>;
  /** Maximum number of entries per page of a list. */
  pageSize: number;
  /** The server's clock. */
  nowMs: () => number;
  newBucket(): string;
  stop(): Promise<void>;
}

const ACCESS_KEY = 'AKIDEXAMPLE';
const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const REGION = 'eu-west-1';

/** An answer other than success: an HTTP status, and S3's name for the reason. */
class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** A request, read and checked. */
interface ParsedRequest {
  readonly method: string;
  readonly bucket: Bucket;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export async function startS3StandIn(): Promise<S3StandIn> {
  const server = createServer((asked, reply) => void respond(asked, reply));
  // Listens by host name: clients prepend the bucket to the host unless configured otherwise.
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const endpoint = `http://localhost:${(server.address() as AddressInfo).port}`;
  const standIn: S3StandIn = {
    endpoint,
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    },
    buckets: new Map(),
    pageSize: 1_000,
    nowMs: Date.now,
    newBucket() {
      const name = `bucket-${standIn.buckets.size}`;
      standIn.buckets.set(name, { objects: new Map(), uploads: new Map() });
      return name;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function respond(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const date = new Date(standIn.nowMs()).toUTCString();
    let answer: Answer;
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      answer = perform(standIn, askedOf(standIn, request, Buffer.concat(chunks)));
    } catch (error) {
      const { status, code } = error instanceof Refused ? error : new Refused(500, String(error));
      answer = { status, body: document('Error', `<Code>${escaped(code)}</Code>`) };
    }
    const { status = 200, headers = {}, body = '' } = answer;
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    reply.writeHead(status, { date, ...length, ...headers });
    reply.end(request.method === 'HEAD' ? undefined : body);
  }

  return standIn;
}

function askedOf(standIn: S3StandIn, request: IncomingMessage, body: Buffer): ParsedRequest {
  const { method = '', url = '', headers } = request;
  requireSignature(method, url, headers, body);
  const { pathname, searchParams: query } = new URL(url, standIn.endpoint);
  const [, name, ...parts] = pathname.split('/');
  const bucket = standIn.buckets.get(name);
  if (!bucket) throw new Refused(404, 'NoSuchBucket');
  return { method, bucket, key: decodeURIComponent(parts.join('/')), query, headers, body };
}

function perform(standIn: S3StandIn, asked: ParsedRequest): Answer {
  const { method, key, query } = asked;
  if (key === '' && query.has('uploads')) return listUploads(asked, standIn.pageSize);
  if (key === '') return listObjects(asked, standIn.pageSize);
  if (method === 'POST' && query.has('uploads')) return beginUpload(asked, standIn.nowMs());
  if (query.has('uploadId')) return continueUpload(asked, standIn.nowMs());
  if (method === 'PUT') return putObject(asked, standIn.nowMs());
  if (method === 'DELETE') {
    asked.bucket.objects.delete(key);
    return { status: 204 };
  }
  return getObject(asked);
}

function putObject({ bucket, key, headers, body }: ParsedRequest, nowMs: number): Answer {
  const there = bucket.objects.get(key);
  if (headers['if-none-match'] === '*' && there) throw new Refused(412, 'PreconditionFailed');
  const wanted = headers['if-match'];
  if (wanted !== undefined && !there) throw new Refused(404, 'NoSuchKey');
  // Some servers take quotes for a part of the ETag.
  if (wanted !== undefined && wanted !== there!.etag.replaceAll('"', '')) {
    throw new Refused(412, 'PreconditionFailed');
  }
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  bucket.objects.set(key, { body, etag, modifiedMs: nowMs, headers: describing(headers) });
  return { headers: { etag } };
}

function getObject({ bucket, key, headers }: ParsedRequest): Answer {
  const found = bucket.objects.get(key);
  if (!found) throw new Refused(404, 'NoSuchKey');
  const { body, etag, modifiedMs, headers: described } = found;
  const stated = { etag, 'last-modified': new Date(modifiedMs).toUTCString(), ...described };
  if (headers.range === undefined) return { headers: stated, body };
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range)!.map(Number);
  if (from >= body.length) throw new Refused(416, 'InvalidRange');
  const last = Math.min(to, body.length - 1);
  const range = { 'content-range': `bytes ${from}-${last}/${body.length}` };
  return { status: 206, headers: { ...stated, ...range }, body: body.subarray(from, last + 1) };
}

function beginUpload({ bucket, key, headers }: ParsedRequest, nowMs: number): Answer {
  const id = randomUUID();
  const upload = { key, headers: describing(headers), begunMs: nowMs, parts: new Map() };
  bucket.uploads.set(id, upload);
  return { body: document('InitiateMultipartUploadResult', element('UploadId', id)) };
}

function continueUpload(
  { method, bucket, key, query, body }: ParsedRequest,
  nowMs: number,
): Answer {
  const id = query.get('uploadId')!;
  const upload = bucket.uploads.get(id);
  if (upload?.key !== key) throw new Refused(404, 'NoSuchUpload');
  const hash = (bytes: Buffer) => createHash('md5').update(bytes);
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    return { headers: { etag: `"${hash(body).digest('hex')}"` } };
  }
  bucket.uploads.delete(id);
  if (method === 'DELETE') return { status: 204 };
  const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
  const digests = Buffer.concat(parts.map((part) => hash(part).digest()));
  const etag = `"${hash(digests).digest('hex')}-${parts.length}"`;
  const whole = Buffer.concat(parts);
  bucket.objects.set(key, { body: whole, etag, modifiedMs: nowMs, headers: upload.headers });
  return { body: document('CompleteMultipartUploadResult', element('ETag', etag)) };
}

/** Lists entries directly under a prefix, and the folders below it, in the order of their names. */
function listObjects({ bucket, query }: ParsedRequest, pageSize: number): Answer {
  const entries = new Map<string, string>();
  for (const [key, { body, modifiedMs, etag }] of bucket.objects) {
    const folder = folderUnder(query, key);
    if (folder === undefined) continue;
    const about = `${element('Key', key)}${element('Size', String(body.length))}
      ${element('LastModified', new Date(modifiedMs).toISOString())}${element('ETag', etag)}`;
    if (folder === null) entries.set(key, `<Contents>${about}</Contents>`);
    else entries.set(folder, `<CommonPrefixes>${element('Prefix', folder)}</CommonPrefixes>`);
  }
  const after = query.get('continuation-token') ?? '';
  const names = [...entries.keys()].sort(byBytes).filter((name) => byBytes(name, after) > 0);
  const page = names.slice(0, pageSize);
  const isTruncated = names.length > page.length;
  const next = isTruncated ? element('NextContinuationToken', page.at(-1)!) : '';
  const found = page.map((name) => entries.get(name)).join('');
  const about = element('IsTruncated', String(isTruncated));
  return { body: document('ListBucketResult', `${about}${next}${found}`) };
}

/** Lists incomplete uploads by key, and those of one key in the order in which they began. */
function listUploads({ bucket, query }: ParsedRequest, pageSize: number): Answer {
  const all = [...bucket.uploads]
    .filter(([, { key }]) => folderUnder(query, key) === null)
    .sort(([, one], [, other]) => byBytes(one.key, other.key));
  const [afterKey, afterId] = [query.get('key-marker'), query.get('upload-id-marker')];
  const before = all.findIndex(([id, { key }]) => id === afterId && key === afterKey);
  const found = all.slice(before + 1);
  const page = found.slice(0, pageSize);
  const uploads = page.map(([id, { key, begunMs }]) => {
    const begun = element('Initiated', new Date(begunMs).toISOString());
    return `<Upload>${element('Key', key)}${element('UploadId', id)}${begun}</Upload>`;
  });
  const isTruncated = found.length > page.length;
  const [id, last] = page.at(-1) ?? [];
  const next = isTruncated
    ? element('NextKeyMarker', last!.key) + element('NextUploadIdMarker', id!)
    : '';
  const about = element('IsTruncated', String(isTruncated));
  return { body: document('ListMultipartUploadsResult', `${about}${next}${uploads.join('')}`) };
}

/**
 * Compares names in the order of lists, which differs from JavaScript's beyond the Basic
 * Multilingual Plane.
 */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The folder that a list names instead of a key; null for the key itself; undefined for a key that
 * does not have the prefix.
 */
function folderUnder(query: URLSearchParams, key: string): string | null | undefined {
  const prefix = query.get('prefix') ?? '';
  if (!key.startsWith(prefix)) return undefined;
  const slash = query.get('delimiter') === '/' ? key.indexOf('/', prefix.length) : -1;
  return slash === -1 ? null : key.slice(0, slash + 1);
}

/** Headers of an upload that its downloads repeat. */
function describing(headers: IncomingMessage['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => name === 'cache-control' || name.startsWith('x-amz-meta-'),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function requireSignature(
  method: string,
  url: string,
  headers: IncomingMessage['headers'],
  body: Buffer,
): void {
  const [path, search = ''] = url.split('?');
  const query = search.split('&').filter((part) => part !== '');
  const signed = headers.authorization
    ? inHeader(headers.authorization, headers)
    : inQuery(new URLSearchParams(search));
  if (!signed) throw new Refused(403, 'AccessDenied');
  const { credential, signature, names, time, payload } = signed;
  const [accessKey, ...scope] = credential.split('/');
  if (accessKey !== ACCESS_KEY) throw new Refused(403, 'InvalidAccessKeyId');
  const [day, region, service, end] = scope;
  const isInScope = region === REGION && service === 's3' && end === 'aws4_request';
  if (!isInScope || !time.startsWith(day)) throw new Refused(400, 'AuthorizationHeaderMalformed');
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) {
    throw new Refused(400, 'XAmzContentSHA256Mismatch');
  }
  const canonical = [
    method,
    path,
    query
      .map((part) => (part.includes('=') ? part : `${part}=`))
      .filter((part) => !part.startsWith('X-Amz-Signature='))
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  let key: string | Buffer = `AWS4${SECRET_KEY}`;
  for (const part of scope) key = createHmac('sha256', key).update(part).digest();
  if (createHmac('sha256', key).update(toSign).digest('hex') !== signature) {
    throw new Refused(403, 'SignatureDoesNotMatch');
  }
}

interface Signed {
  readonly credential: string;
  readonly signature: string;
  /** Names of the signed headers. */
  readonly names: readonly string[];
  readonly time: string;
  /** Hash of the body, or `UNSIGNED-PAYLOAD`. */
  readonly payload: string;
}

function inHeader(authorization: string, headers: IncomingMessage['headers']): Signed {
  const pattern = /^AWS4-HMAC-SHA256 Credential=(.+), SignedHeaders=(.+), Signature=(.+)$/;
  const [, credential, names, signature] = pattern.exec(authorization) ?? [];
  if (signature === undefined) throw new Refused(400, 'AuthorizationHeaderMalformed');
  const time = String(headers['x-amz-date']);
  const payload = String(headers['x-amz-content-sha256']);
  return { credential, signature, names: names.split(';'), time, payload };
}

function inQuery(query: URLSearchParams): Signed | undefined {
  const signature = query.get('X-Amz-Signature');
  if (signature === null) return undefined;
  const time = query.get('X-Amz-Date')!;
  const begunMs = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const livesMs = Number(query.get('X-Amz-Expires')) * 1_000;
  if (!(Date.now() < begunMs + livesMs)) throw new Refused(403, 'AccessDenied');
  return {
    credential: query.get('X-Amz-Credential')!,
    signature,
    names: query.get('X-Amz-SignedHeaders')!.split(';'),
    time,
    payload: 'UNSIGNED-PAYLOAD',
  };
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

function document(name: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`;
}

function element(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

import {
  loadConfig,
  NODE_REGION_CONFIG_FILE_OPTIONS,
  NODE_REGION_CONFIG_OPTIONS,
} from '@smithy/core/config';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentialIdentity, Provider } from '@smithy/types';
import { StoreError } from '../../errors.ts';
import { HttpReader, type HttpReaderOptions } from '../http/http-reader.ts';
import { encodePath, encodeSegment, type ObjectProtocol } from '../http/object-protocol.ts';
import { type S3Address, s3Address, s3Name } from './s3-address.ts';
import { refusalOf, s3Problem } from './s3-errors.ts';

/**
 * A read-only store in an S3 bucket: `s3://bucket/prefix`. Reads are signed requests on our own
 * connections, at a tenth of the cost of the S3 client's.
 */
export class S3Reader extends HttpReader {
  protected readonly address: S3Address;
  protected readonly access: S3Access;

  constructor(location: string, options?: HttpReaderOptions) {
    const address = s3Address(location);
    const access = s3Access(location);
    super(location, s3Protocol(address, access), options);
    this.address = address;
    this.access = access;
  }
}

class Sha256 extends Hash {
  constructor(secret?: ConstructorParameters<typeof Hash>[1]) {
    super('sha256', secret);
  }
}

/** Objects of a bucket, requested with signed requests (AWS Signature Version 4). */
export function s3Protocol(address: S3Address, access: S3Access): ObjectProtocol {
  const signer = new SignatureV4({
    service: 's3',
    region: access.region,
    credentials: access.credentials,
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: true,
  });
  /** The parts of a request for an object that are signed in any case. */
  const target = async (name: string) => {
    const { origin, host, hostname, protocol, pathname } = await bucketUrl(address, access);
    const path = `${pathname}${encodePath(`${address.prefix}${name}`)}`;
    return { origin, host, hostname, protocol, path };
  };
  return {
    nameOf: (name) => s3Name(address, name),
    identityOf: (_bytes, etag) => etag,
    explain: (name, refusal) => s3Problem(address, name, refusalOf(refusal)),
    async request(method, name, headers) {
      const { origin, host, ...to } = await target(name);
      const signed = await signer.sign({
        ...to,
        method,
        query: {},
        headers: { host, 'accept-encoding': 'identity', ...headers },
      });
      return { origin, path: to.path, headers: signed.headers };
    },
    async presignedUrl(name, expiresMs) {
      const { origin, host, ...to } = await target(name);
      const { expiration } = await access.credentials();
      const endMs = Math.min(expiresMs, expiration?.getTime() ?? Number.POSITIVE_INFINITY);
      const signingDate = new Date();
      const { query } = await signer.presign(
        {
          ...to,
          method: 'GET',
          query: {},
          headers: { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
        },
        { signingDate, expiresIn: Math.max(1, Math.ceil((endMs - signingDate.getTime()) / 1_000)) },
      );
      const parts = Object.entries(query ?? {}).map(
        ([key, value]) => `${encodeSegment(key)}=${encodeSegment(String(value))}`,
      );
      return { url: `${origin}${to.path}?${parts.join('&')}`, expiresMs: endMs };
    },
  };
}

async function bucketUrl({ bucket }: S3Address, { endpoint, region }: S3Access): Promise<URL> {
  if (endpoint !== null) {
    return new URL(`${endpoint.pathname.replace(/\/*$/, '')}/${bucket}/`, endpoint);
  }
  const domain = `s3.${await region()}.amazonaws.com`;
  const suffix = (await region()).startsWith('cn-') ? '.cn' : '';
  // The wildcard certificate for buckets covers no name with a dot.
  return bucket.includes('.')
    ? new URL(`https://${domain}${suffix}/${bucket}/`)
    : new URL(`https://${bucket}.${domain}${suffix}/`);
}

interface S3Access {
  /** A server other than Amazon's, with path-style addresses: `https://host/bucket/key`. */
  readonly endpoint: URL | null;
  readonly region: Provider<string>;
  readonly credentials: Provider<AwsCredentialIdentity>;
}

/** Servers other than Amazon's accept any region. */
const ANY_REGION = 'us-east-1';

/**
 * Access for `location`; its providers reject with a `StoreError` that names the missing settings.
 */
export function s3Access(location: string, env: NodeJS.ProcessEnv = process.env): S3Access {
  const endpoint = endpointOf(location, env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL);
  const configured = loadConfig<string>(
    NODE_REGION_CONFIG_OPTIONS,
    NODE_REGION_CONFIG_FILE_OPTIONS,
  );
  const region = async () => {
    try {
      return await configured();
    } catch (cause) {
      if (endpoint !== null) return ANY_REGION;
      const problem = 'no region: set AWS_REGION to the one the bucket is in';
      throw new StoreError('unavailable', location, problem, { cause });
    }
  };
  return { endpoint, region, credentials: credentialsOf(location) };
}

function endpointOf(location: string, text: string | undefined): URL | null {
  if (!text) return null;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  const problem = 'AWS_ENDPOINT_URL_S3 is not an address such as https://s3.example';
  throw new StoreError('unavailable', location, problem);
}

/** The usual credential chain. It is slow to load, and only S3 stores need it. */
function credentialsOf(location: string): Provider<AwsCredentialIdentity> {
  let chain: Promise<Provider<AwsCredentialIdentity>> | null = null;
  const load = async () => (await import('@aws-sdk/credential-provider-node')).defaultProvider();
  return async () => {
    chain ??= load();
    try {
      return await (await chain)();
    } catch (cause) {
      const problem =
        'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE';
      throw new StoreError('unavailable', location, problem, { cause });
    }
  };
}

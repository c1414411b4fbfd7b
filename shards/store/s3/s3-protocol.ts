import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { encodePath, encodeSegment, type ObjectProtocol } from '../http/object-protocol.ts';
import type { S3Access } from './s3-access.ts';
import { type S3Address, s3Name } from './s3-address.ts';
import { refusalOf, s3Problem } from './s3-errors.ts';

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

/** URL of a bucket: `https://bucket.s3.region…`, or a path on a custom server. */
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

import { StoreError } from '../../errors.ts';
import type { Refusal } from '../http/object-protocol.ts';
import { type S3Address, s3Name } from './s3-address.ts';

interface S3Refusal {
  readonly status: number;
  /** Error code, such as `NoSuchKey`; empty if absent, as in the response to a HEAD. */
  readonly code: string;
  /** Region of the bucket, if S3 reports it. */
  readonly region: string;
}

export function refusalOf({ status, headers, body }: Refusal): S3Refusal {
  const region = headers['x-amz-bucket-region'] ?? /<Region>([\w-]+)<\/Region>/.exec(body)?.[1];
  return {
    status,
    code: /<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? '',
    region: String(region ?? ''),
  };
}

export function s3Problem(address: S3Address, name: string, refusal: S3Refusal): StoreError | null {
  const { status, code } = refusal;
  if (status >= 500 || status === 429 || code === 'RequestTimeout' || code === 'SlowDown') {
    return null;
  }
  const object = s3Name(address, name);
  if (code === 'NoSuchKey' || code === 'NoSuchUpload' || (status === 404 && code === '')) {
    return new StoreError('missing', object, 'no such object');
  }
  if (status === 412 || status === 409) {
    return new StoreError('conflict', object, 'was replaced by another process in the meantime');
  }
  return new StoreError('refused', object, meaningOf(address, refusal));
}

function meaningOf({ bucket }: S3Address, { status, code, region }: S3Refusal): string {
  const said = code === '' ? String(status) : `${status} ${code}`;
  switch (code) {
    case 'NoSuchBucket':
      return `there is no bucket "${bucket}"; make it, or give another`;
    case 'RequestTimeTooSkewed':
      return 'the clock of this machine is minutes off that of the server; set it';
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
    case 'InvalidToken':
    case 'ExpiredToken':
      return `the credentials are not right (${said}): look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_PROFILE`;
  }
  if (region !== '' && (status === 301 || status === 307 || status === 400)) {
    return `the bucket "${bucket}" is in the region ${region}; set AWS_REGION to it`;
  }
  if (status === 301 || status === 307) {
    return `the bucket "${bucket}" is elsewhere (${said}); set AWS_REGION to its region, or AWS_ENDPOINT_URL_S3`;
  }
  if (status === 403) {
    return `access denied (${said}): the credentials may not do this in the bucket "${bucket}"; give them the rights to get, put, list and delete, or, to serve, to get and list`;
  }
  return `the server responded with ${said}`;
}

import { StoreError } from '../../errors.ts';

export interface S3Address {
  readonly bucket: string;
  /** Prefix of all keys: empty, or ending in a slash. */
  readonly prefix: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const LOCATION = /^s3:\/\/([^/]*)(?:\/(.*))?$/i;

export function s3Fault(location: string): string | null {
  const [, bucket = '', prefix = ''] = LOCATION.exec(location) ?? [];
  if (bucket.includes('@')) {
    return 'holds a user or password; credentials are given by AWS_ACCESS_KEY_ID and the like';
  }
  if (!BUCKET.test(bucket)) {
    return `"${bucket}" is no name of a bucket; a store is s3://bucket/prefix`;
  }
  const parts = prefix.replace(/\/*$/, '').split('/');
  if (prefix === '' || parts.every((part) => !['', '.', '..'].includes(part))) return null;
  return `"${prefix}" is no prefix; a store is s3://bucket/prefix`;
}

export function s3Address(location: string): S3Address {
  const fault = s3Fault(location);
  if (fault !== null) throw new StoreError('unavailable', location, fault);
  const [, bucket = '', rest = ''] = LOCATION.exec(location) ?? [];
  const folder = rest.replace(/\/*$/, '');
  return { bucket, prefix: folder === '' ? '' : `${folder}/` };
}

export function s3Name({ bucket, prefix }: S3Address, name: string): string {
  return `s3://${bucket}/${prefix}${name}`;
}

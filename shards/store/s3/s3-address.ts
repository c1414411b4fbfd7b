import { StoreError } from '../../errors.ts';

/** Where in S3 a store lies. */
export interface S3Address {
  readonly bucket: string;
  /** The prefix of all keys: empty, or ending in a slash. */
  readonly prefix: string;
}

/** Letters, digits, dots and dashes: what servers take as the name of a bucket. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const LOCATION = /^s3:\/\/([^/]*)(?:\/(.*))?$/i;

/** Finds the fault in `s3://bucket/prefix`; null if there is none. */
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

/** Parses a location without faults. */
export function s3Address(location: string): S3Address {
  const fault = s3Fault(location);
  if (fault !== null) throw new StoreError('unavailable', location, fault);
  const [, bucket = '', rest = ''] = LOCATION.exec(location) ?? [];
  const folder = rest.replace(/\/*$/, '');
  return { bucket, prefix: folder === '' ? '' : `${folder}/` };
}

/** The name of an object of the store in messages. */
export function s3Name({ bucket, prefix }: S3Address, name: string): string {
  return `s3://${bucket}/${prefix}${name}`;
}

import { StoreError } from '../../errors.ts';
import { identityOf } from '../folder-reader.ts';
import { HttpReader, type HttpReaderOptions } from './http-reader.ts';
import { encodePath, type ObjectProtocol, type Refusal } from './object-protocol.ts';

/**
 * A read-only store behind `https://host/prefix`: a CDN, or a public bucket. Plain `http` is for
 * local servers.
 */
export class HttpsReader extends HttpReader {
  constructor(location: string, options?: HttpReaderOptions) {
    super(location, publicFace(new URL(location)), options);
  }
}

function publicFace({ origin, pathname }: URL): ObjectProtocol {
  const folder = pathname.replace(/\/*$/, '');
  const nameOf = (name: string) => `${origin}${folder}/${name}`;
  return {
    nameOf,
    async request(_method, name, headers) {
      const path = `${folder}/${encodePath(name)}`;
      return { origin, path, headers: { 'accept-encoding': 'identity', ...headers } };
    },
    // Servers derive ETags from times and sizes, which two contents can share.
    identityOf,
    explain: (name, refusal) => explain(nameOf(name), refusal),
  };
}

function explain(name: string, { status, headers }: Refusal): StoreError | null {
  if (status >= 500 || status === 429 || status === 408) return null;
  if (status === 404 || status === 410) return new StoreError('missing', name, 'no such object');
  return new StoreError('refused', name, meaningOf(status, headers.location));
}

function meaningOf(status: number, location: unknown): string {
  if (status === 401 || status === 403) {
    return `the server refuses it to the public (${status}); a bucket that hides what it has not answers so for what is missing too`;
  }
  if (status >= 300 && status < 400 && location !== undefined) {
    return `the server leads on to ${location} (${status}); give that address as the store`;
  }
  return `the server responded with ${status}`;
}

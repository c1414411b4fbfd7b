import type { StoreError } from '../../errors.ts';
import type { Millis } from '../../units.ts';
import type { PresignedUrl } from '../store.ts';

export type Headers = Record<string, string>;

interface ObjectRequest {
  /** Origin of the server, such as `https://host:8443`. */
  readonly origin: string;
  /** Path from the root of the host, percent-encoded. */
  readonly path: string;
  readonly headers: Headers;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * How a store's objects are requested over HTTP: addresses, signatures, and the meaning of
 * refusals.
 */
export interface ObjectProtocol {
  /** Rejects with a `StoreError` if no request can be made, for example without credentials. */
  request(method: 'GET' | 'HEAD', name: string, headers: Headers): Promise<ObjectRequest>;
  /** As `Store.presignedUrl`; absent if the store has no presigned URLs. */
  presignedUrl?(name: string, expiresMs: Millis): Promise<PresignedUrl>;
  /** Display name of an object for messages. */
  nameOf(name: string): string;
  /** A validator that changes whenever a mutable object does. */
  identityOf(bytes: Uint8Array, etag: string): string;
  /** Explains a refusal and how to fix it; null if a retry may succeed. */
  explain(name: string, refusal: Refusal): StoreError | null;
}

/** Percent-encodes a path except its slashes, as strictly as signatures require (RFC 3986). */
export function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

import type { StoreError } from '../../errors.ts';

export type Headers = Record<string, string>;

/** A request for an object, as it goes over the wire. */
export interface ObjectRequest {
  /** Such as `https://host:8443`. */
  readonly origin: string;
  /** From the root of the host, percent-encoded. */
  readonly path: string;
  readonly headers: Headers;
}

/** An answer that is no object. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of what it says. */
  readonly body: string;
}

/** How objects of a store are asked for by HTTP: addresses, signatures, and what refusals mean. */
export interface ObjectProtocol {
  /** Rejects with a `StoreError` when it cannot be asked, such as without credentials. */
  request(method: 'GET' | 'HEAD', name: string, headers: Headers): Promise<ObjectRequest>;
  /** The name of an object in messages. */
  nameOf(name: string): string;
  /** A validator that changes with a mutable object. */
  identityOf(bytes: Uint8Array, etag: string): string;
  /** Explains a refusal and how to fix it; null if a retry may succeed. */
  explain(name: string, refusal: Refusal): StoreError | null;
}

/** Percent-encodes a path but its slashes: the strict way that signatures need (RFC 3986). */
export function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The scheme in any case, spaces, the credential, spaces (RFC 9110, 11.4; RFC 6750, 2.1). */
const BEARER = /^Bearer +(\S+) *$/i;

/** The credential of an `Authorization` header of the scheme Bearer; null if there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  return BEARER.exec(authorization ?? '')?.[1] ?? null;
}

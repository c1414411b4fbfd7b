/**
 * The value of a cookie in a `Cookie` header. If there are two of the name, neither is accepted.
 */
export function cookieNamed(name: string, header: string | undefined): string | undefined {
  const start = `${name}=`;
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found.length === 1 ? found[0].slice(start.length) : undefined;
}

/** `Set-Cookie` of a cookie that scripts cannot read and other sites do not send with changes. */
export function setCookie(
  name: string,
  value: string,
  maxAgeSeconds: number,
  isHttps: boolean,
): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
  return `${name}=${value}; ${attributes}${isHttps ? '; Secure' : ''}`;
}

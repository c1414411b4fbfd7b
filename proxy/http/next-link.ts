/**
 * Where the next page is, as RFC 8288 writes it: the same URL with another cursor. Every other
 * parameter stays as it was written, repeated ones and question marks too. It is relative, and begins
 * with the query: so it is right whatever path a proxy in front has taken away.
 */
export function nextLink(url: string, cursor: string): string {
  const [, query] = /^[^?]*\??(.*)$/s.exec(url)!;
  const kept = query.split('&').filter((pair) => pair !== '' && nameOf(pair) !== 'cursor');
  const next = [...kept, `cursor=${encodeURIComponent(cursor)}`].join('&');
  return `<${`?${next}`.replaceAll(NOT_IN_A_LINK, percentEncoded)}>; rel="next"`;
}

/** Decoded as the query string's parser does: a cursor may be spelled `%63ursor`. */
function nameOf(pair: string): string {
  return [...new URLSearchParams(pair).keys()][0];
}

/** Node takes some characters in a URL that are none of a URI reference: RFC 3986 appendix A. */
const NOT_IN_A_LINK = /[^!$-;=?-[\]_a-z~]/g;

/** Headers hold a byte a character. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

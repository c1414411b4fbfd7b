import type { Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import type { Http } from './http.ts';

export interface S3Object {
  readonly key: string;
  readonly etag: string;
  readonly bytes: Bytes;
}

interface S3Listing {
  readonly objects: S3Object[];
  /** Beginnings of keys up to and including the delimiter; empty if no delimiter was given. */
  readonly prefixes: string[];
}

/** Maximum number of pages; a release of Overture has about a hundred files, in one page. */
const MAX_PAGES = 100;

/**
 * Lists the objects of a public bucket under a prefix (ListObjectsV2), page by page. Throws a
 * `BuildError` that names the URL for a response that is not a listing.
 */
export async function listBucket(
  http: Http,
  bucket: string,
  prefix: string,
  delimiter = '',
): Promise<S3Listing> {
  const listing: S3Listing = { objects: [], prefixes: [] };
  let pages = 0;
  for (let token: string | null = ''; token !== null; ) {
    const query = new URLSearchParams({ 'list-type': '2', prefix });
    if (delimiter) query.set('delimiter', delimiter);
    if (token) query.set('continuation-token', token);
    const url = `${bucket}/?${query}`;
    if (++pages > MAX_PAGES) {
      throw new BuildError(`${url}: lists more than ${MAX_PAGES} pages; check the address`);
    }
    const xml = await http.text(url);
    if (!/<ListBucketResult[\s>]/.test(xml)) {
      throw new BuildError(`${url}: is not an S3 bucket listing; check the address`);
    }
    for (const entry of elements(xml, 'Contents')) {
      const [key, etag, size] = ['Key', 'ETag', 'Size'].map((name) => elements(entry, name)[0]);
      if (key === undefined || etag === undefined || !/^\d+$/.test(size ?? '')) {
        throw new BuildError(`${url}: lists an object without key, ETag or size`);
      }
      listing.objects.push({ key: unescaped(key), etag: unescaped(etag), bytes: Number(size) });
    }
    for (const entry of elements(xml, 'CommonPrefixes')) {
      listing.prefixes.push(...elements(entry, 'Prefix').map(unescaped));
    }
    const isCut = elements(xml, 'IsTruncated')[0] === 'true';
    token = isCut ? unescaped(elements(xml, 'NextContinuationToken')[0] ?? '') : null;
    if (token === '') throw new BuildError(`${url}: is truncated, but has no continuation token`);
  }
  return listing;
}

/**
 * Returns the contents of the elements with a name. The listing nests no element in another of the
 * same name, and has no CDATA.
 */
function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner]) => inner);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });
}

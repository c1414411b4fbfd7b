import { describe, expect, test } from 'vitest';
import { demoOfTests } from '../demo.ts';
import { METERED_GETS } from '../routes.ts';

const demo = demoOfTests();

const FORMS = ['application/json', 'text/csv', 'application/x-ndjson', 'application/geo+json'];
/** Each format of a response, in each coding, is a separate representation. */
const VARIANTS = [
  ...FORMS.flatMap((accept) => [
    { accept, 'accept-encoding': 'identity' },
    { accept, 'accept-encoding': 'gzip' },
  ]),
  // Parquet is compressed already.
  { accept: 'application/vnd.apache.parquet', 'accept-encoding': 'gzip' },
];

describe.each(METERED_GETS)('formats of $route', ({ request }) => {
  test('each format and coding has its own cacheable ETag, valid for no other', async () => {
    // Sent without a limit, since responses that fit in a packet are not compressed.
    const { limit: _, ...query } = { ...request(demo).query };
    const call = { ...request(demo), query };
    const variants: (typeof VARIANTS)[number][] = [];
    const etags: string[] = [];
    for (const headers of VARIANTS) {
      const response = await demo.api.call({ ...call, headers });
      // Rows without a geometry have no map format.
      if (response.statusCode === 406) continue;
      variants.push(headers);
      etags.push(String(response.headers.etag));
    }
    expect([7, 9]).toContain(variants.length);
    expect(new Set(etags).size).toBe(variants.length);
    for (const [i, variant] of variants.entries()) {
      const having = (known: string) =>
        demo.api.call({ ...call, headers: { ...variant, 'if-none-match': known } });
      const other = etags[(i + 2) % etags.length];
      expect((await having(other)).statusCode).toBe(200);
      for (const known of [etags[i], `W/${etags[i]}`, `${other}, ${etags[i]}`, '*']) {
        expect([known, (await having(known)).statusCode]).toEqual([known, 304]);
      }
      const head = await demo.api.call({ ...call, headers: variant, method: 'HEAD' });
      expect(head.headers.etag).toBe(etags[i]);
    }
  });
});

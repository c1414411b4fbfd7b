import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextLink } from '../../proxy/http/common-headers.ts';
import { forAll } from '../support/for-all.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();

const target = (link: string) => /^<([^<>"\s]+)>; rel="next"$/.exec(link)![1];
const others = (url: string) =>
  [...new URL(url, 'http://host').searchParams].filter(([name]) => name !== 'cursor');

test('a next link changes only the cursor, however the parameters are written', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab?=&+%20"<>{|}^`\\[]#\'~'), maxLength: 12 });
  const pair = fc.tuple(fc.constantFrom('type', 'q', 'mode', 'cursor', '%63ursor', ''), text);
  return forAll(2000, fc.array(pair, { maxLength: 6 }), fc.base64String(), (pairs, cursor) => {
    const raw = pairs.map(([name, value]) => `${name}=${value.replaceAll('#', '%23')}`);
    const url = `/v1/pois?${raw.join('&')}`;
    // As resolved by a client, behind a proxy that has removed a path prefix.
    const next = new URL(target(nextLink(url, cursor)), `http://host/api${url}`);
    expect(next.pathname).toBe('/api/v1/pois');
    expect(next.searchParams.getAll('cursor')).toEqual([cursor]);
    expect(others(next.href)).toEqual(others(url));
  });
});

test('following the links returns the same pages as the cursors, for repeated parameters too', async () => {
  let url = '/v1/pois?bbox=-71,35,-69,37&type=101&type=202&limit=2&q=';
  const { results: all } = (
    await proxy.get(`${url.replace('limit=2', 'limit=1000')}a`, proxy.key)
  ).json();
  expect(all.length).toBeGreaterThan(4);
  url += 'a';
  const followed: unknown[] = [];
  for (;;) {
    const { body, headers } = await proxy.get(url, proxy.key);
    followed.push(...JSON.parse(body).results);
    if (headers.link === undefined) break;
    const next = new URL(target(String(headers.link)), `http://host${url}`);
    url = `${next.pathname}${next.search}`;
    expect(new URL(url, 'http://host').searchParams.getAll('type')).toEqual(['101', '202']);
  }
  expect(followed).toEqual(all);
});

test('a question mark within a parameter does not end the query', () => {
  expect(others(target(nextLink('/v1/pois?q=what?&type=101&type=102', 'c')))).toEqual([
    ['q', 'what?'],
    ['type', '101'],
    ['type', '102'],
  ]);
});

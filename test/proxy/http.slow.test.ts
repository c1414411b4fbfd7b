import fc from 'fast-check';
import { expect, test } from 'vitest';
import { knownRepresentation } from '../../proxy/http/caching.ts';
import { forAll } from '../support/for-all.ts';
import { expectSoundOpenApi } from '../support/openapi.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();

const opaque = fc.string({ unit: fc.constantFrom(...'abcXYZ09-_,/W ') }).map((text) => `"${text}"`);

test('the ETags of If-None-Match are compared weakly, also in lists', async () => {
  const entity = fc.tuple(opaque, fc.boolean()).map(([tag, weak]) => (weak ? `W/${tag}` : tag));
  await forAll(100, fc.array(entity, { minLength: 1 }), opaque, (list, etag) => {
    const named = list.some((tag) => tag.replace(/^W\//, '') === etag);
    expect(knownRepresentation(list.join(', '), etag)).toBe(named ? etag : undefined);
  });
});

test('an ETag with a coding appended by a proxy matches, even if it ends in hyphens itself', async () => {
  const coding = fc.constantFrom('gzip', 'br', 'zstd', 'deflate');
  const separator = fc.constantFrom('-', '--', ';');
  const hyphens = fc.constantFrom('', '-', '--');
  await forAll(100, opaque, hyphens, separator, coding, (tag, end, before, name) => {
    const plain = tag.slice(0, -1) + end;
    expect(knownRepresentation(`${plain}${before}${name}"`, `${plain}"`)).toBe(`${plain}-${name}"`);
  });
});

test('an ETag with any other ending does not match', () => {
  const endings = ['-xz', 'gzip', '-', ';', '---gzip', ';;gzip', '-gzip-gzip', '-gzip;br', '-GZIP'];
  for (const end of [...endings, ' -gzip']) {
    expect([end, knownRepresentation(`"tag${end}"`, '"tag"')]).toEqual([end, undefined]);
  }
  for (const other of ['"ag-gzip"', '"ta--gzip"', 'tag-gzip']) {
    expect([other, knownRepresentation(other, '"tag"')]).toEqual([other, undefined]);
  }
});

test('the OpenAPI document passes the linter, and its examples match their schemas', async () => {
  await expectSoundOpenApi((await proxy.get('/openapi.json')).body, 30);
});

import { expect, test } from 'vitest';
import { releaseFeed } from '../../proxy/serve/serve-release-feed.ts';
import type { Release } from '../../shards/release/release.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();

test('the feed of releases is free, is Atom, and costs nothing again', async () => {
  const { statusCode, headers, body } = await proxy.get('/releases.atom');
  expect([statusCode, headers['content-type']]).toEqual([
    200,
    'application/atom+xml; charset=utf-8',
  ]);
  const { latest } = proxy.releases.current;
  expect(body).toContain(
    `<title>Release ${latest.release}</title><updated>${latest.published_at}</updated>`,
  );
  const again = await proxy.get('/releases.atom', undefined, {
    'if-none-match': String(headers.etag),
  });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  expect((await proxy.get('/releases.atom', undefined, {}, 'POST')).statusCode).toBe(405);
});

test('the facts of the release are what its objects hold', async () => {
  const facts = JSON.parse((await proxy.get('/v1/meta/vintage')).body);
  const { manifest, taxonomy, counties } = proxy.releases.current;
  expect([facts.before, facts.changes]).toEqual([null, null]);
  const pois = new Map<number, number>();
  let unlinked = 0;
  for (const { manifest: county } of counties) {
    const { table } = await proxy.releases.current.catchments(county);
    for (let poi = 0; poi < table.count; poi++) {
      for (const type of table.facts(poi).types) pois.set(type, (pois.get(type) ?? 0) + 1);
    }
    const index = await proxy.releases.current.index(county);
    for (let block = 0; block < index.count; block++) {
      for (const mode of ['walk', 'bike'] as const) {
        if (index.link(block, mode).status !== 'linked') unlinked++;
      }
    }
  }
  expect(facts.pois).toEqual(
    [...pois]
      .sort(([a], [b]) => a - b)
      .map(([type, count]) => ({
        dest_type_id: type,
        label: taxonomy.labelOf(type),
        pois: count,
        pois_before: null,
      })),
  );
  expect(facts.pois.length).toBeGreaterThan(20);
  const counted = facts.blocks_without_streets.map(({ blocks }: { blocks: number }) => blocks);
  expect(counted.reduce((sum: number, blocks: number) => sum + blocks, 0)).toBe(unlinked);
  expect(unlinked).toBeGreaterThan(0);
  expect(Object.keys(manifest.counties).length).toBeGreaterThan(0);
});

test('entries of earlier releases follow, under ids that stay, with text that is escaped', () => {
  const { latest, notes } = proxy.releases.current;
  const earlier = {
    release: 'week-1',
    manifest: 'manifests/week-1-0123456789abcdef.json',
    published_at: '2026-01-04T02:00:00.000Z',
    summary: ['feed lost: a & b <c>\u0001.zip: "gone"'],
  };
  const release = { latest, notes: { ...notes!, history: [earlier] } } as unknown as Release;
  const text = releaseFeed(release, 'https://api.example.org');
  const entries = [...text.matchAll(/<entry><id>([^<]*)<\/id><title>Release ([^<]*)<\/title>/g)];
  expect(entries.map(([, id, title]) => [id, title])).toEqual([
    [expect.stringMatching(/^https:\/\/api\.example\.org\/releases\.atom#/), latest.release],
    ['https://api.example.org/releases.atom#week-1-0123456789abcdef', 'week-1'],
  ]);
  expect(text).toContain(
    '<summary>feed lost: a &amp; b &lt;c&gt;\ufffd.zip: &quot;gone&quot;.</summary>',
  );
});

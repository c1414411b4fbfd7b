import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { readPbf } from '../../builder/osm/pbf.ts';
import type { PbfHandlers } from '../../builder/osm/primitive-block.ts';
import { BALTIMORE_OSM } from '../support/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { type OplElement, readWithOsmium } from './opl.ts';
import { Scratch } from './scratch.ts';

const scratch = new Scratch();

beforeAll(() => ensureDebianPackage('osmium-tool', 'osmium'));

/** Everything our decoder emits, in the terms of the oracle, without the metadata. */
async function readWhole(path: string): Promise<Omit<OplElement, 'timestamp'>[]> {
  const elements: Omit<OplElement, 'timestamp'>[] = [];
  const handlers: PbfHandlers = {
    node(id, lon, lat, tags) {
      const place = { lon: degrees(lon), lat: degrees(lat) };
      elements.push({ type: 'node', id, tags: new Map(tags.entries()), ...place });
    },
    way(id, refs, tags) {
      elements.push({ type: 'way', id, tags: new Map(tags.entries()), refs: Array.from(refs) });
    },
    relation(id, members, tags) {
      elements.push({ type: 'relation', id, tags: new Map(tags.entries()), members: [...members] });
    },
  };
  await readPbf(path, handlers);
  return elements;
}

/** Formats degrees as osmium does: at most seven decimals, without trailing zeros. */
function degrees(value: number): string {
  return String(Number(value.toFixed(7)));
}

/** Elements without their metadata, as texts: tens of thousands are compared much sooner. */
function textsOf(elements: readonly Omit<OplElement, 'timestamp'>[]): string[] {
  return elements.map(({ type, id, tags, lon, lat, refs, members }) => {
    const parts = members?.map((member) => [member.type, member.ref, member.role]);
    return JSON.stringify([type, id, [...tags], lon, lat, refs, parts]);
  });
}

describe('the decoder on a real extract', () => {
  let ofOsmium: OplElement[];
  let all: Omit<OplElement, 'timestamp'>[];
  beforeAll(async () => {
    ofOsmium = readWithOsmium(BALTIMORE_OSM);
    all = await readWhole(BALTIMORE_OSM);
  });

  test('emits every id, coordinate, tag, ref and member that osmium reads, in order', () => {
    expect(ofOsmium.length).toBeGreaterThan(50_000);
    expect(textsOf(all)).toEqual(textsOf(ofOsmium));
  });

  test.each([
    ['plain nodes', 'pbf,pbf_dense_nodes=false'],
    ['uncompressed blocks', 'pbf,pbf_compression=none'],
    ['no metadata', 'pbf,add_metadata=false'],
    ['only versions as metadata', 'pbf,add_metadata=version'],
    [
      'plain nodes, uncompressed, no metadata',
      'pbf,pbf_dense_nodes=false,pbf_compression=none,add_metadata=false',
    ],
    ['locations on ways', 'pbf,locations_on_ways=true'],
  ])('emits the same elements from a file with %s', async (name, format) => {
    const variant = scratch.rewritten(BALTIMORE_OSM, name.replaceAll(/\W+/g, '-'), format);
    expect(textsOf(await readWhole(variant))).toEqual(textsOf(all));
  });

  test.each([
    ['without untagged nodes', []],
    ['with all nodes', ['--keep-untagged-nodes']],
  ])('passes on the locations that ways have, of a file %s', async (_, options) => {
    const path = scratch.path(`located-${options.length}.osm.pbf`);
    const args = [BALTIMORE_OSM, '-o', path, '--overwrite', ...options];
    execFileSync('osmium', ['add-locations-to-ways', ...args]);
    const places = new Map(
      ofOsmium.map(({ type, id, lon, lat }) => [`${type} ${id}`, `${lon} ${lat}`]),
    );
    const expected = ofOsmium.flatMap(({ refs = [] }) =>
      refs.map((ref) => `${ref} ${places.get(`node ${ref}`)}`),
    );
    expect(expected.length).toBeGreaterThan(50_000);
    const located: string[] = [];
    const location = (id: number, lon: number, lat: number) => {
      located.push(`${id} ${degrees(lon)} ${degrees(lat)}`);
    };
    await readPbf(path, { node() {}, location });
    expect(located).toEqual(expected);
    await readPbf(BALTIMORE_OSM, {
      location() {
        throw new Error('a plain file has no locations on ways');
      },
    });
  });

  test('returns the contents of the header and the newest element', async () => {
    const newest = Math.max(...ofOsmium.map((element) => element.timestamp));
    const summary = await readPbf(BALTIMORE_OSM, { node() {}, way() {}, relation() {} });
    expect(summary).toEqual({
      box: { minLon: -76.6081, minLat: 39.2586, maxLon: -76.5288, maxLat: 39.3065 },
      newestMs: newest,
    });
  });

  test('emits each kind alone as it does among the others', async () => {
    for (const type of ['node', 'way', 'relation'] as const) {
      const ids: number[] = [];
      const handlers: PbfHandlers = { [type]: (id: number) => ids.push(id) };
      await readPbf(BALTIMORE_OSM, handlers);
      expect(ids).toEqual(all.filter((element) => element.type === type).map(({ id }) => id));
    }
  });

  test('also emits plain nodes alone, which a block may hold before its ways', async () => {
    const plain = scratch.rewritten(BALTIMORE_OSM, 'plain-alone', 'pbf,pbf_dense_nodes=false');
    let nodes = 0;
    await readPbf(plain, { node: () => nodes++ });
    expect(nodes).toBe(51_385);
  });

  test('reports every byte read, ending with the last', async () => {
    const seen: number[] = [];
    await readPbf(BALTIMORE_OSM, { way() {} }, (done) => seen.push(done));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(665_206);
  });
});

describe('the decoder on crafted files', () => {
  test('passes on a failure of the system, such as a full disk, which is not the file’s', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });
    const handlers = {
      node() {
        throw full;
      },
    };
    await expect(readPbf(BALTIMORE_OSM, handlers)).rejects.toBe(full);
  });

  test('keeps strings in every script, and characters that other formats must escape', async () => {
    const path = scratch.pbf('texts', [
      'n1 T x0 y0',
      'n2 Tname=%1f600%%20%東京,ключ=a%2c%b%3d%c%25%,empty= x179.9999999 y-89.9999999',
      'w3 Tname=%a%\\"<&> Nn1,n2',
      'r4 Ttype=x Mw3@%e4%ußere,n1@,r4@self',
    ]);
    const [, second, way, relation] = await readWhole(path);
    expect(Object.fromEntries(second.tags)).toEqual({ name: '😀 東京', ключ: 'a,b=c%', empty: '' });
    expect([second.lon, second.lat]).toEqual(['179.9999999', '-89.9999999']);
    expect(way.tags.get('name')).toBe('\n\\"<&>');
    expect(relation.members).toEqual([
      { type: 'way', ref: 3, role: 'äußere' },
      { type: 'node', ref: 1, role: '' },
      { type: 'relation', ref: 4, role: 'self' },
    ]);
  });

  test('keeps ids up to the precision of doubles, and steps between them in both directions', async () => {
    const ids = [1, 2 ** 31, 2 ** 32 + 1, 2 ** 40, 2 ** 51 - 1];
    const path = scratch.pbf('large', [
      ...ids.map((id) => `n${id} T x1 y1`),
      `w${2 ** 51 - 1} T N${[...ids, ...ids.toReversed()].map((id) => `n${id}`).join(',')}`,
    ]);
    const elements = await readWhole(path);
    expect(elements.slice(0, -1).map(({ id }) => id)).toEqual(ids);
    expect(elements.at(-1)).toMatchObject({ id: 2 ** 51 - 1, refs: [...ids, ...ids.toReversed()] });
  });

  test('keeps tags of consecutive elements separate', async () => {
    const path = scratch.pbf('tags', ['n1 Ta=b,c=d x0 y0', 'n2 T x0 y0', 'n3 Tc=e x0 y0']);
    const seen: unknown[] = [];
    await readPbf(path, {
      node: (id, _lon, _lat, tags) =>
        seen.push([id, tags.size, tags.get('a'), tags.get('c'), tags.has('a'), tags.has('d')]),
    });
    expect(seen).toEqual([
      [1, 2, 'b', 'd', true, false],
      [2, 0, undefined, undefined, false, false],
      [3, 1, undefined, 'e', false, false],
    ]);
  });

  test('accepts a header without box, order or time, and a file without elements', async () => {
    const path = scratch.pbf('nothing', []);
    expect(await readPbf(path, {})).toEqual({ box: null, newestMs: 0 });
  });

  test('reads an unsorted file to its end', async () => {
    const opl = ['w1 T Nn1,n2', 'n2 T x2 y2', 'r1 T Mw1@', 'n1 T x1 y1'];
    const text = scratch.write('unsorted.opl', new TextEncoder().encode(`${opl.join('\n')}\n`));
    const path = scratch.rewritten(text, 'unsorted', 'pbf');
    const ids: number[] = [];
    await readPbf(path, { node: (id) => ids.push(id) });
    expect(ids).toEqual([2, 1]);
  });

  test('names the feature of a file with history, which it cannot read', async () => {
    const path = scratch.rewritten(
      scratch.pbf('past', ['n1 v1 dV T x0 y0']),
      'history',
      'pbf,history=true',
    );
    await expect(readPbf(path, {})).rejects.toThrow(
      new RegExp(`^${path}: .*"HistoricalInformation"`),
    );
  });

  test('refuses negative ids, naming the id and the remedy', async () => {
    for (const element of ['n-1 T x0 y0', 'w-1 T N', 'r-1 T M']) {
      const path = scratch.pbf(`negative-${element.charAt(0)}`, [element]);
      await expect(readWhole(path)).rejects.toThrow(
        `${path}: has negative ids, such as -1; run osmium sort and then osmium renumber on it`,
      );
    }
  });
});

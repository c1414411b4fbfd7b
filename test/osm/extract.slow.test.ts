import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import type { OsmExtract } from '../../builder/extract/extract-osm.ts';
import { type Progress, silent } from '../../builder/progress.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { LIMITS_RIDE, LIMITS_WALK } from '../../builder/streets/node-traits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { writePbf } from '../../infra/demo/pbf-writer.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { BALTIMORE_OSM } from '../support/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { extractOsm } from '../support/prepared-city.ts';
import { readWithOsmium } from './opl.ts';
import { Scratch } from './scratch.ts';

const scratch = new Scratch();
const CUT_MS = Date.UTC(2026, 0, 1);
const FELLS_POINT: BoundingBox = { minLon: -76.6, minLat: 39.28, maxLon: -76.58, maxLat: 39.29 };

beforeAll(() => ensureDebianPackage('osmium-tool', 'osmium'));

/** A node and its position in one word: quick to compare and short to read. */
function placed(id: number, lon: number, lat: number): string {
  return `${id}@${lon},${lat}`;
}

/** Streets by way id, each as its nodes' ids and positions: independent of the numbering. */
function streetsOf({ streets, nodes }: OsmExtract) {
  return Array.from({ length: streets.count }, (_, way) => ({
    id: streets.osmId[way],
    traits: streets.traits[way],
    nodes: Array.from(streets.refs.subarray(streets.firstRef[way], streets.firstRef[way + 1]))
      .map((node) => placed(nodes.osmId[node], nodes.lon[node], nodes.lat[node]))
      .join(' '),
  })).sort((a, b) => a.id - b.id);
}

/** The streets that an extract is to hold by definition, from osmium's reading of a file. */
function expectedStreets(path: string, area: BoundingBox) {
  const elements = readWithOsmium(path);
  const places = new Map(
    elements
      .filter(({ type }) => type === 'node')
      .map(({ id, lon, lat }) => [id, [Number(lon), Number(lat)] as const]),
  );
  return elements
    .filter(({ type, tags }) => type === 'way' && streetTraits(tags) !== 0)
    .filter(({ refs }) =>
      refs!.some((ref) => {
        const [lon, lat] = places.get(ref) ?? [Number.NaN, Number.NaN];
        return lon >= area.minLon && lon <= area.maxLon && lat >= area.minLat && lat <= area.maxLat;
      }),
    )
    .flatMap(({ id, tags, refs }) =>
      // A way is cut where the file lacks a node.
      refs!
        .map((ref) => (places.has(ref) ? placed(ref, ...places.get(ref)!) : '|'))
        .join(' ')
        .split('|')
        .map((piece) => piece.trim())
        .filter((piece) => piece.includes(' '))
        .map((nodes) => ({ id, traits: streetTraits(tags), nodes })),
    )
    .sort((a, b) => a.id - b.id);
}

describe('extraction of a real city', () => {
  test.each([
    ['whole', EVERYWHERE],
    ['a neighbourhood of it', FELLS_POINT],
  ])('keeps the streets that enter the area, with all their nodes: %s', async (_, area) => {
    const extract = await extractOsm([BALTIMORE_OSM], area, silent);
    const expected = expectedStreets(BALTIMORE_OSM, area);
    expect(expected.length).toBeGreaterThan(100);
    expect(streetsOf(extract)).toEqual(expected);
  });

  test('numbers nodes by ascending id, and only those that a street uses', async () => {
    const { streets, nodes } = await extractOsm([BALTIMORE_OSM], FELLS_POINT, silent);
    expect(nodes.osmId).toEqual(nodes.osmId.toSorted());
    expect(new Set(streets.refs).size).toBe(nodes.count);
    expect(Math.max(...streets.refs)).toBe(nodes.count - 1);
  });

  test('keeps the destinations that are in the area, and no others', async () => {
    const inside = ({ lon, lat }: { lon: number; lat: number }) =>
      lon >= FELLS_POINT.minLon &&
      lon <= FELLS_POINT.maxLon &&
      lat >= FELLS_POINT.minLat &&
      lat <= FELLS_POINT.maxLat;
    const whole = await extractOsm([BALTIMORE_OSM], EVERYWHERE, silent);
    const part = await extractOsm([BALTIMORE_OSM], FELLS_POINT, silent);
    const ids = (extract: OsmExtract) => extract.destinations.map(({ destId }) => destId);
    const expected = whole.destinations.filter(inside).map(({ destId }) => destId);
    expect(expected.length).toBeGreaterThan(100);
    expect(ids(part)).toEqual(expect.arrayContaining(expected));
    // A park whose centre lies outside may have an entrance inside; nothing else is included.
    for (const destination of part.destinations) {
      expect(inside(destination) || destination.entrances.some(inside)).toBe(true);
    }
  });

  test('gives the same result for overlapping files as for the file they were cut from', async () => {
    const halves = [
      [-76.6081, 39.2586, -76.56, 39.3065],
      [-76.57, 39.2586, -76.5288, 39.3065],
    ].map((box, i) => {
      const path = scratch.path(`half-${i}.osm.pbf`);
      const cut = ['extract', '-b', box.join(','), '--set-bounds', BALTIMORE_OSM, '-o', path];
      execFileSync('osmium', [...cut, '--overwrite']);
      return path;
    });
    // The whole is cut the same way, since the original also has elements outside the box.
    const single = scratch.path('single.osm.pbf');
    const box = ['-b', '-76.6081,39.2586,-76.5288,39.3065', '--set-bounds'];
    execFileSync('osmium', ['extract', ...box, BALTIMORE_OSM, '-o', single, '--overwrite']);
    const whole = await extractOsm([single], EVERYWHERE, silent);
    for (const order of [halves, [...halves.toReversed(), ...halves]]) {
      const joined = await extractOsm(order, EVERYWHERE, silent);
      expect(streetsOf(joined)).toEqual(streetsOf(whole));
      expect(joined.destinations).toEqual(whole.destinations);
      expect(joined.nodes.count).toBe(whole.nodes.count);
      expect(joined.coverage).toEqual(whole.coverage);
      expect(joined.newestMs).toBe(whole.newestMs);
    }
  });

  test('reports progress from nothing to the end, and never backwards', async () => {
    const seen: number[] = [];
    let stageTotal: number | null = null;
    const progress: Progress = {
      start(_stage, total) {
        stageTotal = total;
        return { at: (done) => seen.push(done), finish() {} };
      },
      note() {},
    };
    await extractOsm([BALTIMORE_OSM], EVERYWHERE, progress);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(stageTotal);
  });
});

describe('extraction of a crafted area', () => {
  test('cuts ways where the file lacks nodes, and counts these inside ways and at their ends', async () => {
    const path = scratch.pbf('gaps', [
      'n1 T x0 y0',
      'n2 T x0.001 y0',
      'n4 T x0.003 y0',
      'n5 T x0.004 y0',
      'w1 Thighway=residential Nn90,n1,n2,n91,n92,n4,n5,n93,n94,n95',
      'w2 Thighway=residential Nn4,n96',
      'w3 Thighway=residential Nn1,n97,n5,n98,n2,n4',
      'w4 Twaterway=river Nn1,n2,n99,n4,n5',
    ]);
    const extract = await extractOsm([path], EVERYWHERE, silent);
    expect(streetsOf(extract).map(({ id, nodes }) => [id, nodes])).toEqual([
      [1, '1@0,0 2@0.001,0'],
      [1, '4@0.003,0 5@0.004,0'],
      [3, '2@0.001,0 4@0.003,0'],
    ]);
    expect(extract.missing).toEqual({ atEnds: 5, inside: 4, cutWays: 2 });
    const isCrossed = (lon: number) => extract.impassable.isBetween(lon, -1e-4, lon, 1e-4);
    expect([0.0005, 0.002, 0.0035].map(isCrossed)).toEqual([true, false, true]);
  });

  test('keeps the time of each piece of a ferry that lacks nodes', async () => {
    const path = scratch.pbf('cut-ferry', [
      ...[1, 2, 4, 5].map((id) => `n${id} T x0.00${id} y0`),
      'w1 Thighway=path Nn1,n2',
      'w2 Troute=ferry,duration=PT20M Nn1,n2,n3,n4,n5',
    ]);
    const { streets } = await extractOsm([path], EVERYWHERE, silent);
    expect([...streets.times!]).toEqual([1, 2].map((way) => [way, { waiting: 600, moving: 1200 }]));
  });

  test('is the same from a file with locations on ways, which lacks untagged nodes', async () => {
    const located = scratch.path('located.osm.pbf');
    const args = ['add-locations-to-ways', BALTIMORE_OSM, '-o', located];
    execFileSync('osmium', args);
    const plain = await extractOsm([BALTIMORE_OSM], EVERYWHERE, silent);
    const { newestMs, ...extract } = await extractOsm([located], EVERYWHERE, silent);
    expect(extract).toEqual({ ...plain, newestMs: undefined });
    expect(newestMs).toBeLessThanOrEqual(plain.newestMs);
    for (const files of [
      [located, BALTIMORE_OSM],
      [BALTIMORE_OSM, located],
    ]) {
      expect(streetsOf(await extractOsm(files, EVERYWHERE, silent))).toEqual(streetsOf(plain));
    }
  });

  test('keeps a way whole if one of its nodes is in the area', async () => {
    const path = scratch.pbf('long', [
      'n1 T x0 y0',
      'n2 T x0.5 y0',
      'n3 T x1 y0',
      'w1 Thighway=path Nn1,n2,n3',
      'w2 Thighway=path Nn2,n3',
    ]);
    const area = { minLon: -0.1, minLat: -0.1, maxLon: 0.1, maxLat: 0.1 };
    const [street, ...others] = streetsOf(await extractOsm([path], area, silent));
    expect(street.nodes).toBe('1@0,0 2@0.5,0 3@1,0');
    expect(others).toEqual([]);
  });

  test('marks the nodes that stop people', async () => {
    const path = scratch.pbf('barriers', [
      'n1 T x0 y0',
      'n2 Tbarrier=gate,access=private x0.1 y0',
      'n3 Tbarrier=gate x0.2 y0',
      'w1 Thighway=path Nn1,n2,n3',
    ]);
    const { nodes } = await extractOsm([path], EVERYWHERE, silent);
    expect([...nodes.traits]).toEqual([0, LIMITS_WALK | LIMITS_RIDE, 0]);
  });

  test('claims no coverage when one of the files does not state its extent', async () => {
    const street = ['n1 T x0 y0', 'n2 T x0.1 y0', 'w1 Thighway=path Nn1,n2'];
    const mute = scratch.pbf('mute', street);
    const box = ['-b', '-1,-1,1,1', '--set-bounds'];
    const spoken = scratch.path('spoken.osm.pbf');
    execFileSync('osmium', ['extract', ...box, mute, '-o', spoken]);
    const coverage = { minLon: -1, minLat: -1, maxLon: 1, maxLat: 1 };
    expect((await extractOsm([spoken], EVERYWHERE, silent)).coverage).toEqual(coverage);
    for (const paths of [[mute], [spoken, mute], [mute, spoken]]) {
      expect((await extractOsm(paths, EVERYWHERE, silent)).coverage).toBeNull();
    }
  });

  test('reads no more than the header of a file that covers nothing nearby', async () => {
    const written = async (name: string, east: number) => {
      const path = scratch.path(`${name}.osm.pbf`);
      await writePbf(path, {
        box: { minLon: east - 0.1, minLat: -0.1, maxLon: east + 0.1, maxLat: 0.1 },
        timestamp: new Date(CUT_MS),
        nodes: () => [0, 0.05].map((x, i) => ({ id: 1 + i, lon: east + x, lat: 0, tags: {} })),
        ways: () => [{ id: 1, refs: [1, 2], tags: { highway: 'path' } }],
        relations: () => [],
      });
      return path;
    };
    const [near, far] = [await written('near', 0), await written('far', 20)];
    const bytes = readFileSync(far);
    // The damaged file still states its extent.
    writeFileSync(far, bytes.fill(0, bytes.length - 20));
    const area = { minLon: -0.1, minLat: -0.1, maxLon: 0.1, maxLat: 0.1 };
    const both = await extractOsm([near, far], area, silent);
    expect(streetsOf(both)).toEqual(streetsOf(await extractOsm([near], area, silent)));
    expect(both.coverage).toMatchObject({ minLon: -0.1, maxLon: 20.1 });
    expect(both.newestMs).toBe(CUT_MS);
    await expect(extractOsm([near, far], EVERYWHERE, silent)).rejects.toThrow(`${far}`);
  });

  test('covers the polygon in the file’s companion, even if the file states no extent', async () => {
    const street = ['n1 T x0 y0', 'n2 T x0.1 y0', 'w1 Thighway=path Nn1,n2'];
    const path = scratch.pbf('shire-latest', street);
    const rings = ['shire', 'one', ' -1 -1', ' 2E+00 -1', ' -1 2', 'END', '!lake', ' 0 0.1'];
    const poly = [...rings, ' 0.1 0.1', ' 0 0.2', ' 0 0.1', 'END', 'END', ''].join('\n');
    scratch.write('shire.poly', new TextEncoder().encode(poly));
    const { coverage, outlines } = await extractOsm([path], EVERYWHERE, silent);
    expect(coverage).toEqual({ minLon: -1, minLat: -1, maxLon: 2, maxLat: 2 });
    const network = buildNetwork(...mappedStreets([], []));
    const { linker } = buildModeNetwork(network, 'walk', { coverage, outlines });
    expect(linker.link(-0.5, 0.5)).toBe('no-street-near');
    expect(linker.link(1.5, 1.5)).toBe('outside-street-data');
    expect(linker.link(0.02, 0.12)).toBe('outside-street-data');

    scratch.write('shire.poly', new TextEncoder().encode(poly.replace('2E+00 -1', '2E+00')));
    await expect(extractOsm([path], EVERYWHERE, silent)).rejects.toThrow(/shire.poly: line 4: /);
  });

  test('fails on an area without streets, with advice on what to check', async () => {
    const path = scratch.pbf('elsewhere', [
      'n1 T x9 y9',
      'n2 T x9.1 y9',
      'w1 Thighway=path Nn1,n2',
    ]);
    const failing = extractOsm([path], FELLS_POINT, silent);
    await expect(failing).rejects.toThrow(BuildError);
    await expect(failing).rejects.toThrow(`${path}: no streets in the area`);
  });
});

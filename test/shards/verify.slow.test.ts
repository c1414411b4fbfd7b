import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { ClassedCount } from '../../shards/access/access-class-layout.ts';
import { AccessClasses, encodeAccessClasses } from '../../shards/access/access-classes.ts';
import {
  AddressDirectory,
  type CountyAddresses,
} from '../../shards/addresses/address-directory.ts';
import { AddressTable } from '../../shards/addresses/address-table.ts';
import { BlockBands, encodeBlockBands } from '../../shards/bands/block-bands.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import type { ModeRow } from '../../shards/matrix/row-codec.ts';
import {
  decodeNearestRow,
  encodeNearest,
  nearestRange,
  readNearestShape,
} from '../../shards/nearest/nearest.ts';
import { encodePlaces, PlaceTable } from '../../shards/places/place-table.ts';
import { pageSumsOf } from '../../shards/pmtiles/checked-pages.ts';
import { DestDirectory } from '../../shards/pois/dest-directory.ts';
import { PoiTable } from '../../shards/pois/poi-table.ts';
import { objectsNamed } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { putBodyOf } from '../../shards/store/put-body.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { recountAccess } from '../../shards/verify/access-recount.ts';
import { encodeWeights, WeightTable } from '../../shards/weights/weight-table.ts';
import { forAll } from '../support/for-all.ts';
import { releaseIn } from '../support/release-in.ts';
import { stemOf, TamperedRelease, withTime } from '../support/tampered-release.ts';

const [WALK, , TRANSIT] = [0, 1, 2];

let release: TamperedRelease;
beforeEach(async () => {
  release = await TamperedRelease.copyOf(inject('demoStore'), { tiles: false });
});
afterEach(() => release.remove());

async function takeTilesToo(): Promise<void> {
  await release.remove();
  release = await TamperedRelease.copyOf(inject('demoStore'), { tiles: true });
}

const county = (fips = '99001') => release.manifest.counties[fips];

/** Publishes the manifest as edited, and returns the faults that are found. */
async function publishedFaults(): Promise<string[]> {
  await release.publish();
  return release.faults();
}

/** Expects exactly one error: about this object, with this text. */
async function expectOneFault(ref: ObjectRef, ...words: (string | RegExp)[]): Promise<void> {
  const faults = await publishedFaults();
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(`${ref.name}: `);
  for (const word of words) {
    if (typeof word === 'string') expect(faults[0]).toContain(word);
    else expect(faults[0]).toMatch(word);
  }
}

/** Expects as many errors as patterns, each of which matches one. */
async function expectMatching(...patterns: RegExp[]): Promise<void> {
  const faults = await publishedFaults();
  expect(faults).toHaveLength(patterns.length);
  for (const one of patterns) expect(faults).toContainEqual(expect.stringMatching(one));
}

/** Expects exactly one error about each of these objects, with this text. */
async function expectFaults(refs: readonly ObjectRef[], words: RegExp): Promise<void> {
  const faults = await publishedFaults();
  expect(faults.map((fault) => fault.replace(/: .*/, '')).sort()).toEqual(
    refs.map(({ name }) => name).sort(),
  );
  for (const fault of faults) expect(fault).toMatch(words);
}

/** The first row with a time for which `is` holds, and its position. */
async function findEntry(
  ref: ObjectRef,
  is: (modes: readonly ModeRow[], mode: number, at: number) => boolean,
): Promise<{ ordinal: number; mode: number; at: number; origin: number; target: number }> {
  const store = new FolderStore(release.folder);
  try {
    const matrix = await Matrix.open(store, ref);
    for await (const { ordinal, modes } of matrix.rows()) {
      for (const [mode, { targets }] of modes.entries()) {
        const at = targets.findIndex((_, i) => is(modes, mode, i));
        if (at === -1) continue;
        const [origin, target] = [matrix.origins[ordinal], matrix.targets[targets[at]]];
        return { ordinal, mode, at, origin, target };
      }
    }
  } finally {
    await store.close();
  }
  throw new Error('there is no such entry');
}

/** Sets the time from one id to another by a mode; the matrix must have it exactly once. */
async function setTime(ref: ObjectRef, from: number, to: number, mode: number, time: number) {
  let changed = 0;
  await release.editRows(ref, (modes, ordinal, matrix) => {
    if (matrix.origins[ordinal] !== from) return modes;
    return modes.map((row, m) => {
      const at = m === mode ? row.targets.indexOf(matrix.targetOrdinal(to)) : -1;
      if (at === -1) return row;
      changed++;
      return withTime(row, at, time);
    });
  });
  expect(changed).toBe(1);
}

test('a release as built has no faults', async () => {
  await takeTilesToo();
  expect(await release.faults()).toEqual([]);
});

test('finds a time to the n-th nearest that does not follow from the POI rows', async () => {
  const ref = county().objects['nth-nearest'];
  const { ordinal, origin } = await findEntry(
    ref,
    ({ length }, mode, at) => length > mode && at === 3,
  );
  await release.editRows(ref, (modes, row) =>
    row !== ordinal
      ? modes
      : modes.map(({ targets, times }) => ({ targets: targets.slice(1), times: times.slice(1) })),
  );
  const [type, nth] = [origin % 65_536, Math.floor(origin / 65_536)];
  const text = `does not follow from the POI rows: type ${type}, the ${nth}. nearest`;
  await expectOneFault(county().objects['nth-nearest'], text);
});

test('finds a flipped byte anywhere in each object, and names all of them', async () => {
  await takeTilesToo();
  const refs = objectsNamed(release.manifest);
  const place = fc.tuple(
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    fc.integer({ min: 0, max: 7 }),
  );
  await forAll(
    1,
    fc.array(place, { minLength: refs.length, maxLength: refs.length }),
    async (places) => {
      const whole = await Promise.all(refs.map((ref) => release.bytesOf(ref)));
      for (const [i, ref] of refs.entries()) {
        const [where, bit] = places[i];
        const flipped = whole[i].slice();
        flipped[Math.floor(where * flipped.length)] ^= 1 << bit;
        await writeFile(release.path(ref), flipped);
      }
      const faults = await release.faults();
      for (const [i, ref] of refs.entries()) await writeFile(release.path(ref), whole[i]);
      const named = faults.map((fault) => fault.replace(/: hash: is [0-9a-f]{64}; .*/, ''));
      expect(named.sort()).toEqual(refs.map(({ name }) => name).sort());
    },
  );
});

test('names every object that is missing or truncated', async () => {
  await takeTilesToo();
  const refs = objectsNamed(release.manifest);
  for (const [i, ref] of refs.entries()) {
    if (i % 2 === 0) await rm(release.path(ref));
    else await truncate(release.path(ref), ref.bytes - 1);
  }
  const faults = await release.faults();
  expect(faults).toHaveLength(refs.length);
  for (const [i, { name, bytes }] of refs.entries()) {
    const said = i % 2 === 0 ? 'no such object' : `has ${bytes - 1} bytes`;
    expect(faults.find((fault) => fault.startsWith(`${name}: `))).toContain(said);
  }
});

test('finds a flipped byte in its row even when the object’s hash matches', async () => {
  const { pois, catchment, nearest } = county().objects;
  const { places } = release.manifest.states['99'].objects;
  const { 'reach-from': from, 'reach-to': to, transit } = county().objects;
  // Times to the nearest follow from intact rows only.
  for (const refs of [[nearest], [pois, from, to!, transit!, catchment, places]]) {
    const originals = refs.map((ref) => ({ ...ref }));
    for (const ref of refs) {
      const bytes = await release.bytesOf(ref);
      // The middle of each of these objects lies in its rows.
      bytes[bytes.length >> 1] ^= 16;
      await release.replace(ref, bytes);
    }
    await expectFaults(refs, /row \d+: corrupted/);
    for (const [i, ref] of refs.entries()) Object.assign(ref, originals[i]);
  }
});

test('names a tile that cannot be unpacked, even when its archive’s hash matches', async () => {
  await takeTilesToo();
  const [[name, { archive: ref, sums }], [, other]] = Object.entries(release.manifest.tiles);
  const bytes = await release.bytesOf(ref);
  // The last tile lies at the end.
  bytes[bytes.length - 12] ^= 16;
  await release.replace(ref, bytes);
  await release.replace(sums, await pageSumsOf(putBodyOf(bytes)));
  release.manifest.tiles = { [name]: { archive: ref, sums }, 'drive-101': other };
  await expectMatching(
    new RegExp(`^${ref.name}: tiles: tile \\d+: `),
    new RegExp(`^${other.archive.name}: name: "drive-101" is no mode and type of this release$`),
  );
});

test('finds checksums that do not match their archive', async () => {
  await takeTilesToo();
  const { blocks, ...others } = release.manifest.tiles;
  const [[name, other]] = Object.entries(others);
  release.manifest.tiles = { blocks, [name]: other };
  const bytes = await release.bytesOf(other.archive);
  await release.replace(blocks.sums, await release.bytesOf(other.sums));
  bytes[bytes.length - 1] ^= 1;
  await release.replace(other.sums, await pageSumsOf(putBodyOf(bytes)));
  await expectMatching(
    new RegExp(`^${blocks.sums.name}: CRCS: are not those of the ${blocks.archive.bytes} bytes`),
    new RegExp(`^${other.archive.name}: bytes from \\d+: corrupted`),
  );
});

test('names a block whose band does not match its minutes, and people that differ from the index', async () => {
  await takeTilesToo();
  release.manifest.tiles = { blocks: release.manifest.tiles.blocks };
  const { archive, sums } = county().block_bands!;
  const read = new BlockBands(archive.name, await release.bytesOf(archive));
  const bands = Array.from({ length: read.modes.length * read.leafIds.length }, (_, i) =>
    read.column(i),
  );
  const [walk] = bands;
  walk[5] = walk[5] === 3 ? 4 : 3;
  const population = read.population.with(7, 1_000_000);
  const { modes } = release.manifest;
  const altered = await encodeBlockBands({ ...read, modes, population }, Buffer.concat(bands));
  await release.replace(archive, altered);
  await release.replace(sums, await pageSumsOf(putBodyOf(altered)));
  const other = county('99003');
  delete other.block_bands;
  await expectMatching(
    new RegExp(`^${archive.name}: bands: block \\d{15}, walk, type ${read.leafIds[0]}: \\d, not`),
    new RegExp(`^${archive.name}: people and water: block \\d{15}: 1000000, `),
    new RegExp(`^${other.objects.nearest.name}: block bands: missing`),
  );
});

test('names a block whose class does not hold what is within its reach, and bounds that differ', async () => {
  await takeTilesToo();
  release.manifest.tiles = { blocks: release.manifest.tiles.blocks };
  const { archive, sums } = county().access_classes!;
  const original = await release.bytesOf(archive);
  const encoded = (change: (counts: ClassedCount[], columns: Uint8Array[]) => void) => {
    const read = new AccessClasses(archive.name, original);
    const counts = structuredClone(read.head.counts) as ClassedCount[];
    const columns = counts.map((_, i) => read.column(i));
    change(counts, columns);
    return encodeAccessClasses(read.head.county, counts, columns);
  };
  const altered = await encoded((_, [first]) => {
    first[5] = first[5] === 3 ? 4 : 3;
  });
  await release.replace(archive, altered);
  await release.replace(sums, await pageSumsOf(putBodyOf(altered)));
  await expectOneFault(archive, /classes: block \d{15}, people from walk 15: [34], with /);

  await release.replace(archive, original);
  const moved = await encoded(([first]) => {
    (first.bounds as number[])[0] += 1;
  });
  await release.replace(archive, moved);
  await release.replace(sums, await pageSumsOf(putBodyOf(moved)));
  await expectOneFault(county('99003').access_classes!.archive, 'bounds: differ from those');

  delete county().access_classes;
  await expectOneFault(county().objects.access!, 'access classes: missing');
});

test('finds two swapped rows, though each is intact', async () => {
  const ref = county().objects['reach-from'];
  const bytes = await release.bytesOf(ref);
  const matrix = Matrix.fromBytes(ref.name, bytes);
  const ranges = Array.from(matrix.origins, (_, i) => matrix.rowRange(i));
  const isLike = (a: (typeof ranges)[number]) => (b: typeof a) => a !== b && a.length === b.length;
  const a = ranges.find((range) => range.length > 0 && ranges.some(isLike(range)))!;
  const b = ranges.find(isLike(a))!;
  const kept = bytes.slice(a.offset, a.offset + a.length);
  bytes.copyWithin(a.offset, b.offset, b.offset + b.length);
  bytes.set(kept, b.offset);
  await release.replace(ref, bytes);
  await expectOneFault(ref, /row \d+: corrupted/);
});

test('names a time that differs between the rows of a block and the catchment, with both', async () => {
  const { catchment } = county().objects;
  const entry = await findEntry(catchment, (modes, mode, at) => modes[mode].times[at] < 300);
  let before = 0;
  await release.editRows(catchment, (modes, ordinal) =>
    modes.map((row, mode) => {
      if (ordinal !== entry.ordinal || mode !== entry.mode) return row;
      before = row.times[entry.at];
      return withTime(row, entry.at, before + 1);
    }),
  );
  await expectOneFault(
    catchment,
    'is not the transpose of pois/',
    `block ${entry.target} to dest_id ${entry.origin}`,
    `: ${before + 1} tenths, not ${before}`,
  );
});

test('names a row that is missing from reach-to', async () => {
  const ref = county().objects['reach-to']!;
  const nothing = { targets: new Uint32Array(0), times: new Uint16Array(0) };
  await release.editRows(ref, (modes, ordinal) =>
    ordinal === 40 ? modes.map(() => nothing) : modes,
  );
  const faults = await publishedFaults();
  // It is missing for the blocks of both counties.
  expect(faults).toHaveLength(2);
  for (const fault of faults) {
    expect(fault).toContain(ref.name);
    expect(fault).toMatch(/transpose of reach-from\/9900[13].*nothing minutes, not \d+$/);
  }
});

test('finds transit that takes longer than the walk, even if everything else agrees', async () => {
  const { 'reach-from': from, 'reach-to': to } = county().objects;
  const { origin, target } = await findEntry(
    from,
    (modes, mode, at) =>
      mode === WALK && modes[WALK].times[at] === 7 && modes[TRANSIT].targets.length > 0,
  );
  const home = release.manifest.counties[String(target).slice(0, 5)].objects['reach-to']!;
  expect([to, county('99003').objects['reach-to']]).toContain(home);
  await setTime(from, origin, target, TRANSIT, 8);
  await setTime(home, target, origin, TRANSIT, 8);
  await expectOneFault(from, 'later by transit than on foot', `block ${origin} to block ${target}`);
});

test('finds a block that is more than a minute from itself', async () => {
  const { 'reach-from': from, 'reach-to': to } = county().objects;
  const { origin } = await findEntry(from, () => true);
  await setTime(from, origin, origin, 1, 2);
  await setTime(to!, origin, origin, 1, 2);
  await expectOneFault(from, `time to itself: block ${origin}, bike: 2`);
});

test('names a nearest time that is not the least of the POI rows', async () => {
  const { nearest } = county().objects;
  const bytes = await release.bytesOf(nearest);
  const { rows, columns } = readNearestShape(nearest.name, bytes);
  const cells = Array.from({ length: rows }, (_, row) => {
    const { offset, length } = nearestRange(row, columns);
    return [
      ...decodeNearestRow(nearest.name, row, bytes.subarray(offset, offset + length), columns),
    ];
  });
  const row = cells.findIndex((times) => times.some((time) => time > 20));
  const column = cells[row].findIndex((time) => time > 20);
  const before = cells[row][column]--;
  await release.replace(
    nearest,
    encodeNearest(stemOf(nearest), Uint16Array.from(cells.flat()), columns),
  );
  await expectOneFault(nearest, 'not the least', `${before - 1} tenths, not ${before}`);
});

test('recounts the manifest’s figures for a county or a state', async () => {
  const sound = county();
  const state = release.manifest.states['99'];
  const { index, blocks, catchment, 'reach-from': from, 'reach-to': to } = sound.objects;
  const [west, ...sides] = sound.poi_box!;
  // Each round changes one figure per object.
  const rounds = [
    {
      population: sound.population + 1,
      block_box: [-70.1, ...sound.block_box.slice(1)],
      reach: { from: ['99001'], to: ['99003'] },
      poi_box: [-70.1, ...sides],
    },
    // The stored position of the outermost POI would lie outside.
    { routable_blocks: sound.routable_blocks - 1, poi_box: [west + 1e-7, ...sides] },
  ];
  const changed = [
    [index, blocks, from, to!, catchment],
    [index, catchment, state.objects.places],
  ];
  for (const [round, figures] of rounds.entries()) {
    Object.assign(release.manifest.counties, { 99001: { ...sound, ...figures } });
    if (round === 1) state.places = 3;
    await expectFaults(changed[round], /manifest says/);
  }
});

test('finds weights whose counts were altered under a new hash, and weights that lack a column', async () => {
  const ref = county().objects.weights!;
  const store = new FolderStore(release.folder);
  const table = await WeightTable.open(store, ref);
  const columns = await Promise.all(
    table.names.map(async (weight, i) => ({ weight, counts: await table.counts(i) })),
  );
  await store.close();
  const jobs = columns.findIndex(({ weight }) => weight === 'jobs');
  const { total } = release.manifest.weights.find(({ weight }) => weight === 'jobs')!;
  const altered = columns.map((column, i) => {
    if (i !== jobs) return column;
    return { ...column, counts: column.counts.map((count, block) => count + Number(block === 3)) };
  });
  await release.replace(ref, encodeWeights(stemOf(ref), table.blocks, altered));
  const [sum, ...reaching] = await publishedFaults();
  expect(sum).toContain(`jobs: ${total}; the counties have ${total + 1}`);
  for (const fault of reaching) {
    expect(fault).toMatch(
      /^access\/.*: counts: block \d{15}, jobs from \w+ \d\d: (\d+), not \d+; and/,
    );
  }
  expect(reaching.length).toBeGreaterThan(0);
  await release.replace(ref, encodeWeights(stemOf(ref), table.blocks, columns.toSpliced(jobs, 1)));
  await expectOneFault(ref, 'jobs');
});

/** Adds one to what an object says of the first block in a column that begins so. */
async function addOne(ref: ObjectRef, column: string) {
  const store = new FolderStore(release.folder);
  const table = await WeightTable.open(store, ref);
  const off = table.names.findLast((name) => name.startsWith(column))!;
  const columns = await Promise.all(
    table.names.map(async (weight, i) => ({ weight, counts: await table.counts(i) })),
  );
  await store.close();
  const { counts } = columns.find(({ weight }) => weight === off)!;
  const was = counts[0]++;
  await release.replace(ref, encodeWeights(stemOf(ref), table.blocks, columns));
  return { off, was };
}

test.each(['people from transit 60', 'jobs to walk 60', 'type'])(
  'recounts what is within reach: a count that is off by one (%s)',
  async (column) => {
    const ref = county().objects.access!;
    const store = new FolderStore(release.folder);
    const [geoid] = (await BlockIndex.read(store, county().objects.index)).geoids;
    await store.close();
    const { off, was } = await addOne(ref, column);
    await expectOneFault(ref, `counts: block ${geoid}, ${off}: ${was + 1}, not ${was}`);
  },
);

test('recounts what does not rely on a damaged object, and tells the counties of the rest', async () => {
  const { access } = county().objects;
  await addOne(access!, 'type');
  await release.publish();
  const { weights } = county('99003').objects;
  const store = new FolderStore(release.folder);
  const partly: string[] = [];
  const found: string[] = [];
  const onCounty = (fips: string, isWhole: boolean) => void (isWhole || partly.push(fips));
  for await (const { object } of recountAccess(
    await releaseIn(store),
    new Set([weights!.name]),
    onCounty,
  )) {
    found.push(object);
  }
  await store.close();
  expect([found, partly]).toEqual([[access!.name], ['99001', '99003']]);
});

test('finds a county whose number of blocks differs from the manifest’s in every object with rows', async () => {
  const { access, index, nearest, transit, weights } = county().objects;
  const said = ++county().blocks;
  const faults = await publishedFaults();
  expect(faults).toEqual([
    `${index.name}: blocks: ${said - 1}; the manifest says ${said}`,
    expect.stringContaining(`${nearest.name}: META: ${said - 1} × `),
    `${transit!.name}: rows: ${said - 1} of ${said} origins`,
    `${access!.name}: blocks: ${said - 1}; the manifest says ${said}`,
    `${weights!.name}: blocks: ${said - 1}; the manifest says ${said}`,
  ]);
});

test('refuses a manifest that differs from the one latest.json names', async () => {
  await release.publish();
  const name = await release.currentManifest();
  const bytes = await readFile(name);
  await writeFile(name, bytes.toString().replace('"walk"', '"bike"'));
  await expect(release.faults()).rejects.toThrow('is not what latest.json says');
});

test('names a POI whose home differs from the directory, or that has none', async () => {
  const ref = release.manifest.objects['dest-ids'];
  const original = { ...ref };
  const homes = (
    await Promise.all(
      Object.keys(release.manifest.counties).map(async (fips) => {
        const { catchment } = county(fips).objects;
        const matrix = Matrix.fromBytes(catchment.name, await release.bytesOf(catchment));
        return Array.from(matrix.origins, (id) => ({ id, county: fips }));
      }),
    )
  )
    .flat()
    .sort((a, b) => a.id - b.id);

  const at = homes.findIndex((home) => home.county === '99001');
  const moved = homes.with(at, { ...homes[at], county: '99003' });
  await release.replace(ref, DestDirectory.encode(moved));
  expect(await publishedFaults()).toContain(
    `${county().objects.catchment.name}: POIs of another county: dest_id ${homes[at].id} is at home in 99003`,
  );

  Object.assign(ref, original);
  await release.replace(ref, DestDirectory.encode(homes.toSpliced(at, 1)));
  const faults = await publishedFaults();
  const { pois } = county().objects;
  expect(faults).toContain(`${pois.name}: POIs without a county: dest_id ${homes[at].id}`);
  expect(faults.some((fault) => fault.startsWith(`${ref.name}: `))).toBe(true);
});

test('finds a map that lacks one of its features', async () => {
  const { catchment, 'poi-map': poiMap } = county().objects;
  const matrix = Matrix.fromBytes(catchment.name, await release.bytesOf(catchment));
  const table = PoiTable.fromBytes(catchment.name, matrix.attributes);
  const points = Array.from(matrix.origins.subarray(1), (id, i) => ({
    geometry: { lon: table.facts(i + 1).lon, lat: table.facts(i + 1).lat },
    properties: { dest_id: id },
  }));
  const columns = [{ name: 'dest_id', type: 'int64' as const }];
  await release.replace(poiMap, writeFlatGeobuf('pois', columns, points));
  const { 'county-map': countyMap } = release.manifest.objects;
  await release.replace(
    countyMap,
    await release.bytesOf(release.manifest.states['99'].objects['place-map']),
  );
  const faults = await publishedFaults();
  expect(faults.sort()).toEqual([
    expect.stringMatching(`^${countyMap.name}: features: .*the manifest says 99001 99003`),
    expect.stringContaining(
      `${poiMap.name}: features: ${points.length}, not the ${points.length + 1} of`,
    ),
  ]);
});

test('finds polygons of blocks that are not in the index', async () => {
  const { blocks } = county().objects;
  await release.replace(blocks, await release.bytesOf(county('99003').objects.blocks));
  const faults = await publishedFaults();
  expect(faults).toContain(`${blocks.name}: features: are not the blocks of the index`);
});

test('finds a place with a block that is not in the release, or with people it does not have', async () => {
  const { places: ref } = release.manifest.states['99'].objects;
  const store = new FolderStore(release.folder);
  const table = await PlaceTable.open(store, ref);
  const places = await Promise.all(
    table.places.map(async (place, i) => ({
      ...place,
      blocks: await table.blocks(i),
      outline: await table.outline(i),
    })),
  );
  await store.close();
  const [{ blocks, ...first }, ...rest] = places;
  const original = { ...ref };
  const stranger = [...blocks, 990_059_999_999_999];
  await release.replace(ref, encodePlaces(stemOf(ref), [{ ...first, blocks: stranger }, ...rest]));
  await expectOneFault(ref, 'blocks that are not in the release: 990059999999999');
  Object.assign(ref, original);
  const crowded = { ...first, population: first.population + 5, blocks };
  await release.replace(ref, encodePlaces(stemOf(ref), [crowded, ...rest]));
  await expectOneFault(ref, `population: place ${first.geoid}`);
  Object.assign(ref, original);
  const { outline } = first;
  const shifted = { ...outline, x: outline.x.map((x) => x + 1) };
  await release.replace(
    ref,
    encodePlaces(stemOf(ref), [{ ...first, outline: shifted, blocks }, ...rest]),
  );
  await expectOneFault(ref, `outline: place ${first.geoid}: does not fill its box`);
});

test('refuses an object of one kind in the place of another', async () => {
  const { index, nearest } = county().objects;
  await release.replace(nearest, await release.bytesOf(index));
  await expectOneFault(nearest, /is a "INDX", not a "NEAR"/);
});

test('reports many wrong rows on one line with their count', async () => {
  const ref = county().objects['reach-from'];
  await release.editRows(ref, (modes) => {
    const [walk, bike, transit] = modes;
    return [walk, bike, { targets: transit.targets.slice(1), times: transit.times.slice(1) }];
  });
  const faults = await publishedFaults();
  expect(faults.filter((fault) => fault.startsWith(ref.name)).length).toBeLessThan(4);
  expect(faults.join('\n')).toMatch(/later by transit than on foot: .*; and \d+ more/);
});

test('finds a directory of addresses that is not that of the counties', async () => {
  const ref = release.manifest.objects['address-directory']!;
  const original = { ...ref };
  const refs = ['99001', '99003'].map((fips) => county(fips).objects.addresses!);
  const listed: CountyAddresses[] = [];
  const store = new FolderStore(release.folder);
  for (const [i, fips] of ['99001', '99003'].entries()) {
    const { headBytes, streets } = await AddressTable.open(store, refs[i]);
    const zips = [...new Set(streets.flatMap((street) => street.zips))].filter(Boolean).sort();
    listed.push({ county: fips, headBytes, zips });
  }
  await store.close();
  const [first, second] = listed;
  const publish = (counties: CountyAddresses[]) =>
    release.replace(ref, AddressDirectory.encode(counties));
  await publish(listed);
  expect(ref).toEqual(original);
  await publish([first]);
  await expectOneFault(ref, 'counties: 99001; the manifest says 99001 99003');
  await publish([
    { ...first, headBytes: first.headBytes - 1 },
    { ...second, zips: second.zips.slice(1) },
  ]);
  expect((await publishedFaults()).sort()).toEqual([
    expect.stringContaining(`${refs[0].name}: head: ${first.headBytes} bytes`),
    expect.stringContaining(`${refs[1].name}: ZIP codes: ${second.zips[0]}, not in the directory`),
  ]);
});

import { geoidFromNumber } from '../geoid.ts';
import { Matrix } from '../matrix/matrix.ts';
import { MINUTES, TENTHS, type TimeUnit } from '../matrix/row-codec.ts';
import { DestDirectory } from '../pois/dest-directory.ts';
import type { CountyManifest, TileArchive } from '../release/manifest.ts';
import type { Release } from '../release/release.ts';
import {
  readServedExports,
  type ServedExport,
  servedExportsName,
} from '../release/served-exports.ts';
import { checkRecordedHash } from '../store/recorded-hash.ts';
import type { ObjectRef } from '../store/store.ts';
import { TransitTable } from '../transit/transit-table.ts';
import type { CountyFips } from '../units.ts';
import { ClassesVerification } from './access-classes.ts';
import { verifyBlockBands } from './block-bands.ts';
import { verifyAddressDirectory, verifyAddresses } from './county-addresses.ts';
import { verifyCatchment } from './county-catchment.ts';
import { verifyBlockPolygons, verifyIndex } from './county-index.ts';
import { verifyPois } from './county-pois.ts';
import { verifyReachFrom, verifyReachTo } from './county-reach.ts';
import { verifyAccess, WeightTotals } from './county-weights.ts';
import { type Finding, findFaults } from './finding.ts';
import { featuresOf } from './layer.ts';
import { verifyState } from './states.ts';
import { verifyTiles } from './tiles.ts';
import { firstDifference, type TransposeCheck } from './transpose-check.ts';
import { Verification } from './verification.ts';

export type { Finding } from './finding.ts';

/**
 * Rereads every object of a release: length, hash, checksums and every row; and checks consistency
 * between objects: the nearest time of a type is the minimum of its POI rows; transit takes no
 * longer than walking; catchments and `reach-to` have exactly the entries of the rows they were
 * transposed from; blocks and POIs are where the release places them; weights add up.
 * `recountAccess` recounts what is within reach.
 *
 * Memory grows with the heads, polygons and counts of one county at a time, not with rows.
 * `onObject` is called before an object is read.
 */
export async function* verifyRelease(
  release: Release,
  onObject: (object: string) => void,
): AsyncGenerator<Finding> {
  const { counties, states, objects, tiles } = release.manifest;
  const verification = new Verification(release);
  const { check, checkArchive } = checksOf(verification, onObject);

  yield* check(objects['dest-ids'], () => readDestIds(verification, objects['dest-ids']));
  const directory = objects['address-directory'];
  if (directory) yield* check(directory, () => verifyAddressDirectory(verification, directory));
  for (const [fips, county] of Object.entries(counties)) {
    yield* check(county.objects.index, () => verifyIndex(verification, fips, county));
  }
  const totals = new WeightTotals(release);
  const classes = new ClassesVerification(verification);
  for (const [fips, county] of Object.entries(counties)) {
    yield* verifyCounty(verification, { check, checkArchive }, fips, county, totals, classes);
  }
  yield* totals.findings();
  const { dests, homes } = verification;
  const atHome = homes.reduce((sum, pois) => sum + pois, 0);
  if (dests && homes.length === Object.keys(counties).length && atHome !== dests.count) {
    const problem = `${dests.count} POIs; the counties have ${atHome}`;
    yield { object: objects['dest-ids'].name, problem };
  }
  yield* compareTransposes(release, verification.pois, TENTHS);
  yield* compareTransposes(release, verification.reach, MINUTES);
  for (const [state, manifest] of Object.entries(states)) {
    yield* check(manifest.objects['place-map']);
    yield* check(manifest.objects.places, () => verifyState(verification, state, manifest));
  }
  yield* check(objects['county-map'], () => verifyCountyMap(release, objects['county-map']));
  for (const [name, tile] of Object.entries(tiles)) {
    yield* checkArchive(tile, (archive, sums) => verifyTiles(release, name, archive, sums));
  }
}

type Look = () => AsyncGenerator<Finding>;
type LookInArchive = (archive: ObjectRef, sums: ObjectRef | null) => AsyncGenerator<Finding>;

interface Checks {
  /** Verifies an object's bytes and, if they are sound, runs `look`, which may rely on them. */
  check(ref: ObjectRef, look?: Look): AsyncGenerator<Finding>;
  /** Verifies a public object and its checksums, on which `look` relies if they are sound. */
  checkArchive(archive: TileArchive, look: LookInArchive): AsyncGenerator<Finding>;
}

function checksOf(verification: Verification, onObject: (object: string) => void): Checks {
  async function* check(ref: ObjectRef, look?: Look): AsyncGenerator<Finding> {
    onObject(ref.name);
    yield* findFaults(ref.name, async () => {
      await checkRecordedHash(verification.release.store, ref);
      verification.passed(ref);
    });
    if (look && verification.isSound(ref)) yield* look();
  }
  async function* checkArchive({ archive, sums }: TileArchive, look: LookInArchive) {
    yield* check(sums);
    yield* check(archive, () => look(archive, verification.isSound(sums) ? sums : null));
  }
  return { check, checkArchive };
}

async function* verifyCounty(
  verification: Verification,
  { check, checkArchive }: Checks,
  fips: CountyFips,
  county: CountyManifest,
  totals: WeightTotals,
  classes: ClassesVerification,
): AsyncGenerator<Finding> {
  const { release } = verification;
  const { directions, tiles } = release.manifest;
  const { blocks, nearest, 'nth-nearest': nthNearest, pois, catchment, ...refs } = county.objects;
  yield* check(blocks, () => verifyBlockPolygons(verification, county));
  yield* check(nearest);
  yield* check(nthNearest);
  yield* check(pois, () => verifyPois(verification, fips, county));
  yield* check(refs['reach-from'], () => verifyReachFrom(verification, fips, county));
  if (directions.includes('to')) {
    const ref = release.reachObject(county, 'to');
    yield* check(ref, () => verifyReachTo(verification, fips, county, ref));
  }
  yield* check(refs['poi-map']);
  yield* check(catchment, () => verifyCatchment(verification, fips, county));
  const { access, weights, transit, addresses } = refs;
  for (const ref of [transit, refs['transit-step-free']]) {
    if (ref) yield* check(ref, () => verifyTransit(release, county, ref));
  }
  if (access) yield* check(access, () => verifyAccess(release, county, access));
  if (weights) yield* check(weights, () => totals.verify(county, weights));
  if (addresses) {
    yield* check(addresses, () => verifyAddresses(verification, fips, county, addresses));
  }
  const hasTiles = Object.keys(tiles).length > 0;
  const missing = (of: ObjectRef, what: string): Finding => ({
    object: of.name,
    problem: `${what}: missing, though the release has tiles`,
  });
  if (county.block_bands) {
    yield* checkArchive(county.block_bands, (archive, sums) =>
      verifyBlockBands(verification, fips, county, archive, sums),
    );
  } else if (hasTiles) yield missing(nearest, 'block bands');
  if (access && county.access_classes) {
    yield* checkArchive(county.access_classes, (archive, sums) =>
      classes.verify(fips, county, access, archive, sums),
    );
  } else if (access && hasTiles) yield missing(access, 'access classes');
}

function readDestIds(verification: Verification, ref: ObjectRef): AsyncGenerator<Finding> {
  return findFaults(ref.name, async () => {
    const bytes = await verification.release.store.readRange(ref, 0, ref.bytes);
    verification.dests = new DestDirectory(ref.name, bytes);
  });
}

function verifyCountyMap({ store, manifest }: Release, ref: ObjectRef): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const drawn: string[] = [];
    for await (const { properties } of featuresOf(store, ref)) drawn.push(`${properties.county}`);
    const wanted = Object.keys(manifest.counties).sort().join(' ');
    findings.compare('features', drawn.sort().join(' '), wanted);
  });
}

/** Reports one differing entry for every two counties whose matrix and transpose differ. */
async function* compareTransposes(
  { store, manifest }: Release,
  check: TransposeCheck,
  unit: TimeUnit,
): AsyncGenerator<Finding> {
  for (const { matrix, transpose } of check.differing()) {
    yield* findFaults(transpose.name, async (findings) => {
      const found = await firstDifference(store, matrix, transpose);
      findings.add(`is not the transpose of ${matrix.name}`, () => {
        if (!found) return 'one has ids that the other does not list';
        const { from, to, mode, time, transposedTime } = found;
        const [target, said, there] = [
          unit === MINUTES ? `block ${geoidFromNumber(to)}` : `dest_id ${to}`,
          transposedTime ?? 'nothing',
          time ?? 'nothing',
        ];
        return `block ${geoidFromNumber(from)} to ${target}, ${manifest.modes[mode]}: ${said} ${unit.name}, not ${there}`;
      });
    });
  }
}

/**
 * Verifies that an object of a county's transit, with or without steps, has rows for the county's
 * blocks and for all targets of its `reach-from` and `pois` objects, and that every row can be
 * read.
 */
function verifyTransit(
  { store }: Release,
  { blocks, objects }: CountyManifest,
  ref: ObjectRef,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const table = await TransitTable.open(store, ref);
    const [reach, pois] = await Promise.all(
      [objects['reach-from'], objects.pois].map((matrix) => Matrix.open(store, matrix)),
    );
    const wanted = { origins: blocks, blocks: reach.targets.length, pois: pois.targets.length };
    for (const kind of ['origins', 'blocks', 'pois'] as const) {
      if (table.counts[kind] === wanted[kind]) continue;
      findings.add('rows', () => `${table.counts[kind]} of ${wanted[kind]} ${kind}`);
    }
    await table.checkRows();
  });
}

/**
 * Rereads the exports of a release in its store: their list, and the length and hash of each file
 * and of its page checksums; superseded exports are not read. `onObject` is called before an object
 * is read.
 */
export async function* verifyExports(
  { store, latest }: Release,
  onObject: (object: string) => void,
): AsyncGenerator<Finding> {
  const list = servedExportsName(latest.manifest);
  let exports: readonly ServedExport[] = [];
  yield* findFaults(list, async () => {
    ({ exports } = await readServedExports(store, latest.manifest));
  });
  for (const ref of exports.flatMap(({ object, sums }) => [object, sums])) {
    onObject(ref.name);
    yield* findFaults(ref.name, () => checkRecordedHash(store, ref));
  }
}

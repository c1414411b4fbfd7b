import { countedType, minutesCounted } from '../access/access-columns.ts';
import { geoidFromNumber } from '../geoid.ts';
import { Matrix } from '../matrix/matrix.ts';
import { TENTHS } from '../matrix/row-codec.ts';
import type { CountyManifest, Direction } from '../release/manifest.ts';
import type { Release } from '../release/release.ts';
import type { ObjectRef } from '../store/store.ts';
import { countsByTarget } from '../weights/counts-by-target.ts';
import { type Finding, type Findings, findFaults } from './finding.ts';

/** A count, and how much of it each target of a matrix has. */
interface Amounts {
  readonly of: string;
  readonly byTarget: ArrayLike<number>;
}

/**
 * Recounts all that the `access` objects of a release count, block by block: weights from the rows
 * of `reach-from` and `reach-to`, POIs from those of `pois`; unless an object that this relies on
 * is among `faulty`, by name.
 */
export async function* recountAccess(
  release: Release,
  faulty: ReadonlySet<string>,
): AsyncGenerator<Finding> {
  const counties = Object.values(release.manifest.counties);
  const areSound = (...refs: readonly (ObjectRef | undefined)[]) =>
    refs.every((ref) => ref === undefined || !faulty.has(ref.name));
  if (!counties.every(({ objects: { index, weights } }) => areSound(index, weights))) return;
  for (const county of counties) {
    const { access, pois, 'reach-from': from, 'reach-to': to } = county.objects;
    if (access && areSound(access, pois, from, to)) yield* recountCounty(release, county, access);
  }
}

function recountCounty(
  release: Release,
  county: CountyManifest,
  ref: ObjectRef,
): AsyncGenerator<Finding> {
  const { access, directions } = release.manifest;
  const weights = access.filter((of) => countedType(of) === null);
  const types = access.filter((of) => countedType(of) !== null);
  return findFaults(ref.name, async (findings) => {
    for (const direction of weights.length > 0 ? directions : []) {
      const matrix = await Matrix.open(release.store, release.reachObject(county, direction));
      const counts = await countsByTarget(matrix.targets, weights.length, async (fips) => {
        const own = release.county(fips);
        if (!own) return null;
        const columns = weights.map((weight) => release.weightCounts(own, weight));
        return { geoids: (await release.index(own)).geoids, columns: await Promise.all(columns) };
      });
      const amounts = counts.map((byTarget, w) => ({ of: weights[w], byTarget }));
      await recount(release, county, matrix, direction, amounts, findings);
    }
    if (types.length === 0) return;
    const { matrix, table } = await release.pois(county);
    const amounts = types.map((of) => {
      const leaves = new Set(release.taxonomy.leavesOf(countedType(of)!));
      const isOfType = (_: unknown, poi: number) =>
        table.types(poi).some((type) => leaves.has(type)) ? 1 : 0;
      return { of, byTarget: Uint8Array.from(matrix.targets, isOfType) };
    });
    await recount(release, county, matrix, 'from', amounts, findings);
  });
}

/** Compares the counts of a matrix's origins with those of the `access` object. */
async function recount(
  release: Release,
  county: CountyManifest,
  matrix: Matrix,
  direction: Direction,
  amounts: readonly Amounts[],
  findings: Findings,
): Promise<void> {
  const perMinute = matrix.unit === TENTHS ? 10 : 1;
  const counted = await Promise.all(
    amounts.map(async ({ of, byTarget }) => {
      const limits = minutesCounted(of).map((minutes) => minutes * perMinute);
      return { of, byTarget, limits, said: await release.accessCounts(county, of, direction) };
    }),
  );
  for await (const { ordinal, modes } of matrix.rows()) {
    for (let m = 0; m < modes.length; m++) {
      const { targets, times } = modes[m];
      for (const { of, byTarget, limits, said } of counted) {
        for (let level = 0; level < limits.length; level++) {
          let within = 0;
          for (let i = 0; i < targets.length; i++) {
            if (times[i] <= limits[level]) within += byTarget[targets[i]];
          }
          const count = said[m * limits.length + level][ordinal];
          if (count === within) continue;
          findings.add('counts', () => {
            const mode = release.manifest.modes[m];
            const minutes = limits[level] / perMinute;
            const block = geoidFromNumber(matrix.origins[ordinal]);
            return `block ${block}, ${of} ${direction} ${mode} ${minutes}: ${count}, not ${within}`;
          });
        }
      }
    }
  }
}

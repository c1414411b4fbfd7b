import { countedType, minutesCounted } from '../access/access-columns.ts';
import { geoidFromNumber } from '../geoid.ts';
import { Matrix } from '../matrix/matrix.ts';
import { TENTHS } from '../matrix/row-codec.ts';
import type { CountyManifest, Direction } from '../release/manifest.ts';
import type { Release } from '../release/release.ts';
import type { CountyFips } from '../units.ts';
import { countsByTarget } from '../weights/counts-by-target.ts';
import { type Finding, type Findings, findFaults } from './finding.ts';

/**
 * Recounts all that the `access` objects of a release count, block by block: weights from the rows
 * of `reach-from` and `reach-to`, POIs from those of `pois`; unless an object that this relies on
 * is among `faulty`, by name. `onCounty` is called before the counts of a county are read, with
 * whether all of them can be recounted.
 */
export async function* recountAccess(
  release: Release,
  faulty: ReadonlySet<string>,
  onCounty: (county: CountyFips, isWhole: boolean) => void,
): AsyncGenerator<Finding> {
  const { access: counted, directions, counties } = release.manifest;
  const weights = counted.filter((of) => countedType(of) === null);
  const types = counted.filter((of) => countedType(of) !== null);
  const blocksOf = (fips: CountyFips) => {
    const { index, weights } = release.county(fips)?.objects ?? {};
    return [index, weights];
  };
  for (const [fips, county] of Object.entries(counties)) {
    const { access, pois } = county.objects;
    if (!access) continue;
    const parts = (weights.length > 0 ? directions : []).map((direction) => ({
      from: [release.reachObject(county, direction), ...county.reach[direction].flatMap(blocksOf)],
      run: (findings: Findings) => recountWeights(release, county, weights, direction, findings),
    }));
    if (types.length > 0) {
      const run = (findings: Findings) => recountPois(release, county, types, findings);
      parts.push({ from: [pois], run });
    }
    const sound = parts.filter(({ from }) =>
      [access, ...from].every((ref) => ref === undefined || !faulty.has(ref.name)),
    );
    onCounty(fips, sound.length === parts.length);
    yield* findFaults(access.name, async (findings) => {
      for (const { run } of sound) await run(findings);
    });
  }
}

async function recountWeights(
  release: Release,
  county: CountyManifest,
  weights: readonly string[],
  direction: Direction,
  findings: Findings,
): Promise<void> {
  const matrix = await Matrix.open(release.store, release.reachObject(county, direction));
  const counts = await countsByTarget(matrix.targets, weights.length, async (fips) => {
    const own = release.county(fips);
    if (!own) return null;
    const columns = weights.map((weight) => release.weightCounts(own, weight));
    return { geoids: (await release.index(own)).geoids, columns: await Promise.all(columns) };
  });
  await recount(release, county, { matrix, direction, of: weights, counts }, findings);
}

async function recountPois(
  release: Release,
  county: CountyManifest,
  types: readonly string[],
  findings: Findings,
): Promise<void> {
  const { matrix, table } = await release.pois(county);
  const counts = types.map((of) => {
    const leaves = new Set(release.taxonomy.leavesOf(countedType(of)!));
    const isOfType = (_: unknown, poi: number) =>
      table.types(poi).some((type) => leaves.has(type)) ? 1 : 0;
    return Uint8Array.from(matrix.targets, isOfType);
  });
  await recount(release, county, { matrix, direction: 'from', of: types, counts }, findings);
}

interface Counted {
  readonly matrix: Matrix;
  readonly direction: Direction;
  readonly of: readonly string[];
  readonly counts: readonly ArrayLike<number>[];
}

async function recount(
  release: Release,
  county: CountyManifest,
  { matrix, direction, of, counts }: Counted,
  findings: Findings,
): Promise<void> {
  const perMinute = matrix.unit === TENTHS ? 10 : 1;
  const limits = minutesCounted(of[0]).map((minutes) => minutes * perMinute);
  const longest = limits[limits.length - 1];
  const levelOf = Uint8Array.from({ length: longest + 1 }, (_, time) =>
    limits.findIndex((limit) => time <= limit),
  );
  const said = await Promise.all(of.map((one) => release.accessCounts(county, one, direction)));
  const { first, columns, amounts } = bySparseTarget(counts, matrix.targets.length);
  const found = new Float64Array(limits.length * of.length);
  for await (const { ordinal, modes } of matrix.rows()) {
    for (let m = 0; m < modes.length; m++) {
      const { targets, times } = modes[m];
      found.fill(0);
      for (let i = 0; i < targets.length; i++) {
        if (times[i] > longest) continue;
        const level = levelOf[times[i]] * of.length;
        for (let j = first[targets[i]]; j < first[targets[i] + 1]; j++) {
          found[level + columns[j]] += amounts[j];
        }
      }
      for (let column = 0; column < of.length; column++) {
        let within = 0;
        for (let level = 0; level < limits.length; level++) {
          within += found[level * of.length + column];
          const count = said[column][m * limits.length + level][ordinal];
          if (count !== within) report(m, ordinal, column, level, { count, within });
        }
      }
    }
  }

  function report(
    m: number,
    ordinal: number,
    column: number,
    level: number,
    { count, within }: { readonly count: number; readonly within: number },
  ): void {
    findings.add('counts', () => {
      const block = geoidFromNumber(matrix.origins[ordinal]);
      const minutes = limits[level] / perMinute;
      return `block ${block}, ${of[column]} ${direction} ${release.manifest.modes[m]} ${minutes}: ${count}, not ${within}`;
    });
  }
}

/**
 * The columns that are not 0 of each target: those of target `t` are from `first[t]` up to
 * `first[t + 1]`. A POI is of few types, so a row costs its entries, not these times the types.
 */
function bySparseTarget(counts: readonly ArrayLike<number>[], targets: number) {
  const first = new Uint32Array(targets + 1);
  const columns: number[] = [];
  const amounts: number[] = [];
  for (let target = 0; target < targets; target++) {
    for (const [column, of] of counts.entries()) {
      if (of[target] === 0) continue;
      columns.push(column);
      amounts.push(of[target]);
    }
    first[target + 1] = columns.length;
  }
  return { first, columns: Uint16Array.from(columns), amounts: Float64Array.from(amounts) };
}

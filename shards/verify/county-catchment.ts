import { boundsOf } from '../geometry/bounds.ts';
import { Matrix } from '../matrix/matrix.ts';
import { TENTHS } from '../matrix/row-codec.ts';
import { PoiTable } from '../pois/poi-table.ts';
import type { CountyManifest } from '../release/manifest.ts';
import { type CountyFips, MICRO } from '../units.ts';
import { type Finding, findFaults } from './finding.ts';
import { verifyFeatures } from './layer.ts';
import type { Verification } from './verification.ts';

/**
 * Verifies the POIs that have this home county, and their catchments: each POI's home county
 * matches the directory, and each POI is on the county's map. The rows are compared with the POI
 * rows later.
 */
export async function* verifyCatchment(
  verification: Verification,
  fips: CountyFips,
  county: CountyManifest,
): AsyncGenerator<Finding> {
  const { release, dests } = verification;
  const { catchment: ref, 'poi-map': mapRef } = county.objects;
  let pois: Float64Array | null = null;
  yield* findFaults(ref.name, async (findings) => {
    const matrix = await Matrix.open(release.store, ref);
    const table = PoiTable.fromBytes(ref.name, matrix.attributes);
    verification.checkShape(matrix, TENTHS, null, findings);
    if (table.count !== matrix.origins.length) {
      findings.add('facts', () => `of ${table.count} of ${matrix.origins.length} POIs`);
    }
    for (const id of matrix.origins) {
      const home = dests?.countyOf(id);
      if (!dests || home === fips) continue;
      findings.add('POIs of another county', () => `dest_id ${id} is at home in ${home ?? 'none'}`);
    }
    checkBox(table, county.poi_box, (problem) => findings.add('poi_box', () => problem));
    await verification.checkBlocks(matrix.targets, findings);
    const counties = verification.countiesOfBlocks(matrix.targets);
    const scan = verification.pois.transpose(verification.countyNumber(fips), matrix, counties);
    for await (const { ordinal, modes } of matrix.rows()) scan.row(ordinal, modes);
    scan.finish();
    verification.homes.push(matrix.origins.length);
    pois = matrix.origins;
  });
  yield* verifyFeatures(verification, mapRef, 'dest_id', pois, ref);
}

function checkBox(
  { count, lon, lat }: PoiTable,
  said: CountyManifest['poi_box'],
  wrong: (problem: string) => void,
): void {
  if (count === 0 || said === null) {
    if (count !== 0 || said !== null) wrong(`${said} around ${count} POIs`);
    return;
  }
  const box = boundsOf(lon, lat);
  if (box.every((edge, i) => edge / MICRO === said[i])) return;
  wrong(`${box.map((edge) => edge / MICRO).join(', ')}; the manifest says ${said.join(', ')}`);
}

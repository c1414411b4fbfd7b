import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureDebianPackage } from '../support/debian.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

/** GEOS's findings about multipolygons, through GDAL: whether each is valid, and its area. */
export async function judge(
  multipolygons: readonly number[][][][][],
): Promise<{ valid: boolean; area: number }[]> {
  await ensureDebianPackage('gdal-bin', 'ogrinfo');
  const folder = await folderOfThisTest();
  const file = path.join(folder, 'judged.json');
  const features = multipolygons.map((coordinates, id) => ({
    type: 'Feature',
    properties: { id },
    geometry: { type: 'MultiPolygon', coordinates },
  }));
  await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features }));
  const sql =
    'SELECT ST_IsValid(geometry) AS valid, ST_Area(geometry) AS area FROM judged ORDER BY id';
  const args = ['-q', '-dialect', 'sqlite', '-sql', sql, file];
  const { stdout } = await promisify(execFile)('ogrinfo', args, { maxBuffer: 1 << 26 });
  const found = stdout.matchAll(/valid \(Integer\) = (-?\d+)\s+area \(Real\) = ([\d.e+-]+)/g);
  return [...found].map(([, valid, area]) => ({ valid: valid === '1', area: Number(area) }));
}

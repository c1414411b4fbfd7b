import { type GeoidNumber, geoidToNumber, isGeoid } from '../../shards/geoid.ts';
import { BuildError } from '../errors.ts';
import { openPopulationFile } from './open-weight-file.ts';

/**
 * Reads the people of blocks from tables with columns of GEOIDs and populations (CSV, possibly
 * gzipped) or the archives of PL 94-171. Throws a `BuildError` that names file and line for an area
 * that is not a block, or a block that is there twice.
 */
export async function readPopulations(
  paths: readonly string[],
): Promise<ReadonlyMap<GeoidNumber, number>> {
  const populations = new Map<GeoidNumber, number>();
  for (const path of paths) {
    const { rows } = await openPopulationFile(path);
    for await (const { area, counts, row } of rows) {
      if (!isGeoid(area)) {
        throw new BuildError(`${path}: ${row}: ${area} is not a block (15 digits)`);
      }
      const geoid = geoidToNumber(area);
      if (populations.has(geoid)) {
        throw new BuildError(
          `${path}: ${row}: block ${area} appears twice; remove one of the rows`,
        );
      }
      populations.set(geoid, counts[0]);
    }
  }
  return populations;
}

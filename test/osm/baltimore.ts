import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'vitest';

/** Real inputs, kept beside the project because their licences differ. */
const INPUTS = path.resolve('../shared/data/baltimore');

/** OpenStreetMap of inner Baltimore, unfiltered. */
export const BALTIMORE_OSM = path.join(INPUTS, 'osm/baltimore.osm.pbf');

/** `describe` for promises about the real inputs; where they are not, their names say why not. */
export const describeBaltimore: (name: string, promises: () => void) => void = existsSync(
  BALTIMORE_OSM,
)
  ? describe
  : (name, promises) => describe.skip(`${name} (not tested: ${INPUTS} is not there)`, promises);

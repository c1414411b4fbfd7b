import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'vitest';

/** Real inputs, kept beside the project because their licences differ. */
const INPUTS = path.resolve('../shared/data/baltimore');

export const baltimoreFile = (name: string) => path.join(INPUTS, name);
/** OpenStreetMap of inner Baltimore, unfiltered. */
export const BALTIMORE_OSM = baltimoreFile('osm/baltimore.osm.pbf');
export const BALTIMORE_BLOCKS = baltimoreFile('blocks/tl_24510_tabblock20.zip');
export const HAVE_BALTIMORE = existsSync(BALTIMORE_OSM) && existsSync(BALTIMORE_BLOCKS);

const nameOf = (name: string) =>
  HAVE_BALTIMORE ? name : `${name} (not tested: ${INPUTS} is not there)`;

/** `describe` for promises about the real inputs; where they are not, their names say why not. */
export const describeBaltimore = (name: string, promises: () => void) =>
  describe.skipIf(!HAVE_BALTIMORE)(nameOf(name), promises);

/** `test` likewise. */
export const testBaltimore = (name: string, promise: () => void | Promise<void>, ms?: number) =>
  test.skipIf(!HAVE_BALTIMORE)(nameOf(name), promise, ms);

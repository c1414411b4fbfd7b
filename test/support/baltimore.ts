import path from 'node:path';

/** Folder of real inputs, with their sources and licences alongside. */
const INPUTS = path.resolve('test/data/baltimore');

export const baltimoreFile = (name: string) => path.join(INPUTS, name);
/** OpenStreetMap of inner Baltimore, unfiltered. */
export const BALTIMORE_OSM = baltimoreFile('osm/baltimore.osm.pbf');
export const BALTIMORE_BLOCKS = baltimoreFile('blocks/tl_24510_tabblock20.zip');

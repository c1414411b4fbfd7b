import type { Component } from '../../shards/manifest.ts';
import type { BuildRequest } from '../build-request.ts';
import { TAXONOMY_VERSION } from '../destinations/taxonomy.ts';
import { fingerprint } from '../inputs/fingerprint.ts';
import type { Region } from '../region/read-region.ts';

/** Census day: what the 2020 blocks and their populations speak of. */
const CENSUS_DAY = '2020-04-01';
const VERSION_DIGITS = 16;

/** The data a release is made of: each part with a version that names its exact input. */
export async function components(request: BuildRequest, region: Region): Promise<Component[]> {
  const version = async (name: string, paths: readonly string[]) =>
    `${name}-${(await fingerprint(paths)).slice(0, VERSION_DIGITS)}`;
  const osm = await version('osm', request.osm);
  const osmDay = new Date(region.streetsAsOfMs).toISOString().slice(0, 10);
  const listed = request.pois?.length ? `+${await version('files', request.pois)}` : '';
  const pois = `${osm}${listed}/taxonomy-${TAXONOMY_VERSION}`;
  const { transit } = region;
  return [
    { component: 'road_network', version: osm, effective_date: osmDay },
    ...(transit
      ? [
          {
            component: 'transit_network' as const,
            version: await version('gtfs', request.gtfs ?? []),
            effective_date: transit.serviceDate,
          },
        ]
      : []),
    { component: 'pois', version: pois, effective_date: osmDay },
    {
      component: 'blocks',
      version: await version('tabblock20', request.blocks),
      effective_date: CENSUS_DAY,
    },
    { component: 'parks', version: `${osm}/taxonomy-${TAXONOMY_VERSION}`, effective_date: osmDay },
  ];
}

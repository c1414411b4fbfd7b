import { boxesMeet, bufferBox, cutAtAntimeridian } from '../../shards/geometry/wgs84.ts';
import type { StateFips } from '../../shards/states.ts';
import type { BoundingBox, CountyFips, Metres } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import { ROUTING } from '../routing-parameters.ts';
import { boxesOf, readCountyBoxes } from './county-boxes.ts';
import { type FetchSession, requireAll } from './download-all.ts';
import { FetchFolder } from './fetch-folder.ts';
import { type FetchedFeeds, fetchCatalogueFeeds, fetchGivenFeeds } from './gtfs-feeds.ts';
import { hostOf } from './host-guard.ts';
import { Http, type HttpOptions } from './http.ts';
import { fetchOverturePlaces } from './overture-places.ts';
import {
  censusBlocks,
  censusCounties,
  censusPlaces,
  isState,
  osmExtract,
  PUBLIC_SERVICES,
  type PublicServices,
  stateName,
  stateOf,
} from './public-files.ts';
import { type FetchedWeights, fetchWeights } from './weight-files.ts';

/** The inputs that can be fetched independently. */
export const INPUT_KINDS = ['osm', 'census', 'gtfs', 'pois', 'weights'] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

export interface FetchRequest {
  /** The counties whose inputs are fetched; at least one. */
  readonly counties: readonly CountyFips[];
  /** The folder to fill. */
  readonly out: string;
  readonly inputs: readonly InputKind[];
  /** URLs of feeds; if empty, the catalogue's feeds for the counties are fetched. */
  readonly gtfs: readonly string[];
  /** Label of the Overture release; null for the newest. */
  readonly overtureRelease: string | null;
  readonly services: PublicServices;
  /**
   * Private hosts that the catalogue and redirects may lead to. Hosts of `gtfs`, and of services
   * that replace the public ones, need not be listed.
   */
  readonly allowedHosts?: readonly string[];
  readonly http?: Pick<HttpOptions, 'idleMs' | 'retryMs'>;
}

/**
 * Input paths for a build of the counties. A list is empty if the input was not requested or is not
 * available.
 */
export interface FetchedInputs extends FetchedFeeds, FetchedWeights {
  readonly osm: string[];
  readonly blocks: string[];
  /** The layers of census places, and the layer of counties. */
  readonly places: string[];
  readonly pois: string[];
}

const SECONDS_PER_MINUTE = 60;

/** Maximum distance that a trip by street reaches beyond its county. */
const REACH: Metres =
  ROUTING.bikeMetresPerSecond * ROUTING.maxReachMinutes * SECONDS_PER_MINUTE + ROUTING.linkRadii[1];

/**
 * Fetches the public inputs for some counties: OpenStreetMap extracts of their states and of states
 * within reach, census blocks and places, the GTFS feeds that run there, Overture places within
 * reach, and counts by block. Existing files that have not changed are kept. Throws a `BuildError`
 * that names the URL once the other downloads of the same step are done; later steps are skipped.
 * An unavailable feed is listed in `left` instead, and tables that a state lacks in
 * `withoutWeights`.
 */
export async function fetchInputs(
  request: FetchRequest,
  progress: Progress,
): Promise<FetchedInputs> {
  const { services, counties, inputs } = request;
  const states = [...new Set(counties.map(stateOf))].sort();
  const folder = await FetchFolder.open(request.out);
  const options = { ...request.http, namedHosts: namedHosts(request) };
  const http = new Http(options, (line) => progress.note(line));
  const session = { http, folder, progress };
  try {
    const [layer] = await requireAll('counties', [censusCounties(services, counties)], session);
    const all = await readCountyBoxes(layer);
    const boxes = boxesOf(counties, all, layer);
    const reach = boxes.flatMap((box) => cutAtAntimeridian(bufferBox(box, REACH)));

    const osmStates = inputs.includes('osm') ? statesWithin(reach, all) : [];
    const censusStates = inputs.includes('census') ? states : [];
    const osm = osmStates.map((state) => osmExtract(services, state));
    const blocks = censusStates.map((state) => censusBlocks(services, state));
    const places = censusStates.map((state) => censusPlaces(services, state));
    await requireAll('streets and census', [...osm, ...blocks, ...places], session);

    const feeds = inputs.includes('gtfs')
      ? await fetchFeeds(request, boxes, states, session)
      : NONE;
    const { overture } = services;
    const pois = inputs.includes('pois')
      ? [await fetchOverturePlaces(overture, request.overtureRelease, reach, session)]
      : [];
    const weights = inputs.includes('weights')
      ? await fetchWeights(services, states, session)
      : NO_WEIGHTS;
    const pathOf = ({ file }: { file: string }) => folder.path(file);
    return {
      osm: osm.map(pathOf),
      blocks: blocks.map(pathOf),
      places: inputs.includes('census') ? [...places.map(pathOf), layer] : [],
      pois,
      ...feeds,
      ...weights,
    };
  } finally {
    await http.close();
    await folder.close();
  }
}

/** The hosts that the user has named, in any option. */
function namedHosts({ services, gtfs, allowedHosts = [] }: FetchRequest): string[] {
  const publicUrls = Object.values(PUBLIC_SERVICES);
  const own = Object.values(services).filter((url) => !publicUrls.includes(url));
  return [...allowedHosts, ...[...own, ...gtfs].map((url) => hostOf(new URL(url)))];
}

const NONE: FetchedFeeds = { gtfs: [], remarks: [] };
const NO_WEIGHTS: FetchedWeights = { weights: [], withoutWeights: [] };

function fetchFeeds(
  { gtfs, services }: FetchRequest,
  boxes: readonly BoundingBox[],
  states: readonly StateFips[],
  session: FetchSession,
): Promise<FetchedFeeds> {
  if (gtfs.length > 0) return fetchGivenFeeds(gtfs, session);
  return fetchCatalogueFeeds(services, boxes, states.map(stateName), session);
}

/** The states of the counties that meet one of the boxes. */
function statesWithin(
  boxes: readonly BoundingBox[],
  counties: ReadonlyMap<CountyFips, readonly BoundingBox[]>,
): StateFips[] {
  const states = new Set<StateFips>();
  for (const [county, own] of counties) {
    const state = county.slice(0, 2);
    const isNear = own.some((box) => boxes.some((wanted) => boxesMeet(wanted, box)));
    if (isNear && isState(state)) states.add(state);
  }
  return [...states].sort();
}

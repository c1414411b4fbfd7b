import {
  boxAroundBoth,
  boxesMeet,
  bufferBox,
  cutAtAntimeridian,
} from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import { countyInWords, type StateFips } from '../../shards/states.ts';
import type { BoundingBox, CountyFips, Metres } from '../../shards/units.ts';
import { type County, readCounties } from '../census/county-layer.ts';
import type { Progress } from '../progress.ts';
import { ROUTING, ROUTING_OPTIONS, rideMetres, routingOf } from '../routing-parameters.ts';
import { announceDownload, type ConfirmDownload } from './announce-download.ts';
import { type FetchSession, requireAll } from './download-all.ts';
import { FetchFolder, type InputList } from './fetch-folder.ts';
import { type ChosenFeeds, chooseCatalogueFeeds, feedsAt, fetchFeeds } from './gtfs-feeds.ts';
import { hostOf } from './host-guard.ts';
import { Http, type HttpOptions } from './http.ts';
import { type AreaRequest, countiesIn, requireKnownStates } from './named-areas.ts';
import { fetchOverturePlaces } from './overture-places.ts';
import { readPlaceList } from './place-list.ts';
import {
  censusAddresses,
  censusBlocks,
  censusCounties,
  censusPlaceList,
  censusPlaces,
  gtfsFeed,
  isState,
  osmExtract,
  PUBLIC_SERVICES,
  type PublicServices,
  stateName,
  stateOf,
} from './public-files.ts';
import { type ChosenWeights, chooseWeights } from './weight-files.ts';

/** The inputs that can be fetched independently. */
export const INPUT_KINDS = ['osm', 'census', 'gtfs', 'pois', 'weights', 'addresses'] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

export interface FetchRequest {
  readonly area: AreaRequest;
  /** The folder to fill. */
  readonly out: string;
  readonly inputs: readonly InputKind[];
  /** URLs of feeds; if empty, the catalogue's feeds for the counties are fetched. */
  readonly gtfs: readonly string[];
  /** Label of the Overture release; null for the newest. */
  readonly overtureRelease: string | null;
  readonly services: PublicServices;
  /** The cycling speed of builds, in km/h, whose reach is fetched; the usual one by default. */
  readonly bikeSpeed?: number;
  /** Whether to ask for newer OpenStreetMap extracts, however young the existing ones are. */
  readonly fresh?: boolean;
  /** Confirms large downloads, which otherwise begin at once. */
  readonly confirm?: ConfirmDownload;
  /**
   * Private hosts that the catalogue and redirects may lead to. Hosts of `gtfs`, and of services
   * that replace the public ones, need not be listed.
   */
  readonly allowedHosts?: readonly string[];
  readonly http?: Partial<Pick<HttpOptions, 'idleMs' | 'retryMs' | 'userAgent'>>;
}

export interface Fetched {
  /** The inputs that the folder holds for the counties, those of earlier fetches included. */
  readonly inputs: InputList;
  /** Feeds that are left out or were not updated, each with the reason, and the like. */
  readonly remarks: readonly string[];
  /** Tables that their publisher does not have, each with the reason. */
  readonly withoutWeights: readonly string[];
}

/**
 * Fetches the public inputs for the counties of an area: OpenStreetMap extracts of their states and
 * of states within reach, census blocks and places, the GTFS feeds that run there, Overture places
 * within reach, counts by block, and address ranges; and lists them in the folder. Existing files
 * that have not changed are kept. Throws a `BuildError` that names the URL once the other downloads
 * of the same step are done; later steps are skipped. An unavailable feed is named in `remarks`
 * instead, and tables that a state lacks in `withoutWeights`.
 */
export async function fetchInputs(request: FetchRequest, progress: Progress): Promise<Fetched> {
  const { services, fresh, confirm = async () => true } = request;
  const asks = (kind: InputKind) => request.inputs.includes(kind);
  requireKnownStates(request.area);
  const folder = await FetchFolder.open(request.out);
  const options = {
    ...request.http,
    namedHosts: namedHosts(request),
    singleHosts: [hostOf(new URL(services.geofabrik))],
  };
  const http = new Http(options, (line) => progress.note(line));
  const session = { http, folder, progress };
  try {
    const { layer, counties } = await findCounties(request, session);
    const listed = folder.inputs?.counties ?? counties;
    if (listed.join() !== counties.join()) {
      const others = listed.length > NAMED_COUNTIES ? 'other counties' : listed.join(', ');
      progress.note(
        `the folder lists the inputs of ${others}, which these replace; another --out keeps both`,
      );
    }
    const states = [...new Set(counties.map(stateOf))].sort();
    const boxes = counties.flatMap((county) => layer.get(county)!.boxes);
    const { bikeSpeed = ROUTING_OPTIONS.bike_speed_kmh.usual } = request;
    const furthest = rideMetres(
      ROUTING.maxReachMinutes,
      1,
      routingOf({ bike_speed_kmh: bikeSpeed }),
    );
    const reach = boxes.flatMap((box) => cutAtAntimeridian(bufferBox(box, furthest)));

    const osm = (asks('osm') ? statesWithin(reach, layer) : []).map((state) => {
      const extract = osmExtract(services, state);
      return fresh ? { ...extract, keepForMs: 0 } : extract;
    });
    const censusStates = asks('census') ? states : [];
    const blocks = censusStates.map((state) => censusBlocks(services, state));
    const places = censusStates.map((state) => censusPlaces(services, state));
    const chosen = asks('gtfs') ? await chooseFeeds(request, boxes, states, session) : NO_FEEDS;
    const { files: weights, withoutWeights } = asks('weights')
      ? await chooseWeights(services, states, session)
      : NO_WEIGHTS;
    const addresses = (asks('addresses') ? counties : []).map((county) =>
      censusAddresses(services, county),
    );
    const groups = [
      { name: 'streets', files: osm },
      { name: 'census', files: [...blocks, ...places] },
      { name: 'transit', files: chosen.feeds.map(({ id, urls }) => gtfsFeed(urls[0], id)) },
      { name: 'weights', files: weights },
      { name: 'addresses', files: addresses },
    ];
    await announceDownload(groups, asks('pois') ? ['Overture places'] : [], confirm, session);

    await requireAll('streets and census', [...osm, ...blocks, ...places], session);
    const { gtfs, leftOut, remarks } = await fetchFeeds(chosen, session);
    const pois = asks('pois')
      ? await fetchOverturePlaces(
          services.overture,
          request.overtureRelease,
          boxesByState(counties, layer, furthest),
          session,
        )
      : null;
    await requireAll('weights', weights, session);
    await requireAll('addresses', addresses, session);
    const files = (some: readonly { file: string }[]) => some.map(({ file }) => file);
    // Inputs that are not asked for remain as an earlier fetch for the same counties left them.
    const before = (listed.join() === counties.join() ? folder.inputs : null) ?? NO_INPUTS;
    const streets = asks('osm') ? files(osm) : before.osm;
    const ownExtracts = states.map((state) => osmExtract(services, state).file);
    const inputs: InputList = {
      counties,
      bike_speed_kmh:
        asks('osm') && asks('pois') ? bikeSpeed : Math.min(bikeSpeed, before.bike_speed_kmh),
      osm: streets,
      blocks: asks('census') ? files(blocks) : before.blocks,
      places: asks('census') ? files([...places, censusCounties(services)]) : before.places,
      pois: pois ?? before.pois,
      weights: asks('weights') ? files(weights) : before.weights,
      addresses: asks('addresses')
        ? [...files(addresses), ...ownExtracts.filter((file) => streets.includes(file))]
        : before.addresses,
      gtfs: asks('gtfs') ? gtfs : before.gtfs,
      gtfs_left_out: asks('gtfs') ? leftOut : before.gtfs_left_out,
    };
    await folder.noteInputs(inputs);
    return { inputs, remarks, withoutWeights };
  } finally {
    await http.close();
    await folder.close();
  }
}

const NO_FEEDS: ChosenFeeds = { feeds: [], unused: [], remarks: [] };
const NO_WEIGHTS: ChosenWeights = { files: [], withoutWeights: [] };
const NO_INPUTS: InputList = {
  counties: [],
  bike_speed_kmh: Number.POSITIVE_INFINITY,
  osm: [],
  blocks: [],
  places: [],
  pois: [],
  weights: [],
  addresses: [],
  gtfs: [],
  gtfs_left_out: [],
};

/** Counties to be named in the log; of more, the number is given. */
const NAMED_COUNTIES = 5;

async function findCounties(
  { area, services }: FetchRequest,
  session: FetchSession,
): Promise<{ layer: ReadonlyMap<CountyFips, County>; counties: readonly CountyFips[] }> {
  const lists = [
    censusCounties(services),
    ...(area.places.length > 0 ? [censusPlaceList(services)] : []),
  ];
  const [layerPath, listPath] = await requireAll('counties', lists, session);
  const layer = await readCounties(layerPath);
  const counties = countiesIn(area, layer, listPath ? await readPlaceList(listPath) : []);
  const names = counties.map((code) => countyInWords(code, layer.get(code)!.name));
  const few = counties.length <= NAMED_COUNTIES ? `: ${names.join('; ')}` : '';
  session.progress.note(`${counted(counties.length, 'county', 'counties')}${few}`);
  return { layer, counties };
}

function namedHosts({ services, gtfs, allowedHosts = [] }: FetchRequest): string[] {
  const publicUrls = Object.values(PUBLIC_SERVICES);
  const own = Object.values(services).filter((url) => !publicUrls.includes(url));
  return [...allowedHosts, ...[...own, ...gtfs].map((url) => hostOf(new URL(url)))];
}

async function chooseFeeds(
  { gtfs, services }: FetchRequest,
  boxes: readonly BoundingBox[],
  states: readonly StateFips[],
  session: FetchSession,
): Promise<ChosenFeeds> {
  if (gtfs.length > 0) return feedsAt(gtfs);
  return chooseCatalogueFeeds(services, boxes, states.map(stateName), session);
}

/**
 * The box of everything within reach of the counties of each state; two where it extends over the
 * antimeridian.
 */
function boxesByState(
  counties: readonly CountyFips[],
  layer: ReadonlyMap<CountyFips, County>,
  furthest: Metres,
): BoundingBox[] {
  const bySide = new Map<string, BoundingBox>();
  for (const county of counties) {
    for (const own of layer.get(county)!.boxes) {
      for (const box of cutAtAntimeridian(bufferBox(own, furthest))) {
        const side = `${stateOf(county)} ${Math.sign(box.minLon + box.maxLon)}`;
        const known = bySide.get(side);
        bySide.set(side, known ? boxAroundBoth(known, box) : box);
      }
    }
  }
  return [...bySide.values()];
}

function statesWithin(
  boxes: readonly BoundingBox[],
  counties: ReadonlyMap<CountyFips, County>,
): StateFips[] {
  const states = new Set<StateFips>();
  for (const { state, boxes: own } of counties.values()) {
    if (states.has(state) || !isState(state)) continue;
    if (own.some((box) => boxes.some((wanted) => boxesMeet(wanted, box)))) states.add(state);
  }
  return [...states].sort();
}

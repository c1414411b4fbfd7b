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
import type { Download } from './download.ts';
import { type FetchSession, firstFound, requireAll } from './download-all.ts';
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
  requireKnownStates(request.area);
  const folder = await FetchFolder.open(request.out);
  const options = {
    ...request.http,
    namedHosts: namedHosts(request),
    singleHosts: [hostOf(new URL(request.services.geofabrik))],
  };
  const http = new Http(options, (line) => progress.note(line));
  try {
    return await fetchInto(request, { http, folder, progress });
  } finally {
    await http.close();
    await folder.close();
  }
}

async function fetchInto(request: FetchRequest, session: FetchSession): Promise<Fetched> {
  const { services, overtureRelease, confirm = async () => true } = request;
  const { folder } = session;
  const asks = (kind: InputKind) => request.inputs.includes(kind);
  const area = await findCounties(request, session);
  const before = inputsBefore(area, session);
  const { osm, blocks, places, feeds, weights, addresses } = await chooseFiles(
    request,
    area,
    session,
  );
  const groups = [
    { name: 'streets', files: osm },
    { name: 'census', files: [...blocks, ...places] },
    { name: 'transit', files: feeds.feeds.map(({ id, urls }) => gtfsFeed(urls[0], id)) },
    { name: 'weights', files: weights.files },
    { name: 'addresses', files: addresses },
  ];
  await announceDownload(groups, asks('pois') ? ['Overture places'] : [], confirm, session);

  await requireAll('streets and census', [...osm, ...blocks, ...places], session);
  const { gtfs, leftOut, remarks } = await fetchFeeds(feeds, session);
  const pois = asks('pois')
    ? await fetchOverturePlaces(services.overture, overtureRelease, boxesByState(area), session)
    : before.pois;
  await requireAll('weights', weights.files, session);
  await requireAll('addresses', addresses, session);
  const files = (some: readonly Download[]) => some.map(({ file }) => file);
  const streets = asks('osm') ? files(osm) : before.osm;
  const ownExtracts = area.states.map((state) => osmExtract(services, state).file);
  // Inputs that are not asked for remain as an earlier fetch for the same counties left them.
  const inputs: InputList = {
    ...before,
    counties: area.counties,
    bike_speed_kmh:
      asks('osm') && asks('pois')
        ? area.bikeSpeed
        : Math.min(area.bikeSpeed, before.bike_speed_kmh),
    osm: streets,
    pois,
    ...(asks('census') && {
      blocks: files(blocks),
      places: files([...places, area.layerFile]),
    }),
    ...(asks('weights') && { weights: files(weights.files) }),
    ...(asks('addresses') && {
      addresses: [...files(addresses), ...ownExtracts.filter((file) => streets.includes(file))],
    }),
    ...(asks('gtfs') && { gtfs, gtfs_left_out: leftOut }),
  };
  await folder.noteInputs(inputs);
  return { inputs, remarks, withoutWeights: weights.withoutWeights };
}

/** Returns the inputs that the folder lists, if they are of the same counties. */
function inputsBefore({ counties }: FetchArea, { folder, progress }: FetchSession): InputList {
  const before = folder.inputs ?? NO_INPUTS;
  if (before === NO_INPUTS || before.counties.join() === counties.join()) return before;
  const others =
    before.counties.length > NAMED_COUNTIES ? 'other counties' : before.counties.join(', ');
  progress.note(
    `the folder lists the inputs of ${others}, which these replace; another --out keeps both`,
  );
  return NO_INPUTS;
}

/** Chooses the files of the inputs that are asked for, except for places of Overture. */
async function chooseFiles(request: FetchRequest, area: FetchArea, session: FetchSession) {
  const { services, fresh } = request;
  const asks = (kind: InputKind) => request.inputs.includes(kind);
  const osm = (asks('osm') ? statesWithin(area) : []).map((state) => {
    const extract = osmExtract(services, state);
    return fresh ? { ...extract, keepForMs: 0 } : extract;
  });
  const censusStates = asks('census') ? area.states : [];
  const addressed = asks('addresses') ? area.counties : [];
  return {
    osm,
    blocks: censusStates.map((state) => censusBlocks(services, state)),
    places: censusStates.map((state) => censusPlaces(services, state)),
    feeds: asks('gtfs') ? await chooseFeeds(request, area, session) : NO_FEEDS,
    weights: asks('weights') ? await chooseWeights(services, area.states, session) : NO_WEIGHTS,
    addresses: addressed.map((county) => censusAddresses(services, county)),
  };
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

/** The counties of a request, among those of the country. */
interface FetchArea {
  readonly layer: ReadonlyMap<CountyFips, County>;
  readonly layerFile: Download;
  readonly counties: readonly CountyFips[];
  readonly states: readonly StateFips[];
  readonly boxes: readonly BoundingBox[];
  /** The cycling speed in km/h, and how far that leads beyond the boxes. */
  readonly bikeSpeed: number;
  readonly furthest: Metres;
}

async function findCounties(
  { area, services, bikeSpeed = ROUTING_OPTIONS.bike_speed_kmh.usual }: FetchRequest,
  session: FetchSession,
): Promise<FetchArea> {
  const layerFile = await firstFound('counties', censusCounties(services), session);
  const layer = await readCounties(session.folder.path(layerFile.file));
  const lists = area.places.length > 0 ? [censusPlaceList(services)] : [];
  const [listPath] = await requireAll('places', lists, session);
  const counties = countiesIn(area, layer, listPath ? await readPlaceList(listPath) : []);
  const names = counties.map((code) => countyInWords(code, layer.get(code)!.name));
  const few = counties.length <= NAMED_COUNTIES ? `: ${names.join('; ')}` : '';
  session.progress.note(`${counted(counties.length, 'county', 'counties')}${few}`);
  const routing = routingOf({ bike_speed_kmh: bikeSpeed });
  return {
    layer,
    layerFile,
    counties,
    states: [...new Set(counties.map(stateOf))].sort(),
    boxes: counties.flatMap((county) => layer.get(county)!.boxes),
    bikeSpeed,
    furthest: rideMetres(ROUTING.maxReachMinutes, 1, routing),
  };
}

function namedHosts({ services, gtfs, allowedHosts = [] }: FetchRequest): string[] {
  const publicUrls = Object.values(PUBLIC_SERVICES);
  const own = Object.values(services).filter((url) => !publicUrls.includes(url));
  return [...allowedHosts, ...[...own, ...gtfs].map((url) => hostOf(new URL(url)))];
}

async function chooseFeeds(
  { gtfs, services }: FetchRequest,
  { boxes, states }: FetchArea,
  session: FetchSession,
): Promise<ChosenFeeds> {
  if (gtfs.length > 0) return feedsAt(gtfs);
  return chooseCatalogueFeeds(services, boxes, states.map(stateName), session);
}

/**
 * The box of everything within reach of the counties of each state; two where it extends over the
 * antimeridian.
 */
function boxesByState({ layer, counties, furthest }: FetchArea): BoundingBox[] {
  const bySide = new Map<string, BoundingBox>();
  for (const county of counties) {
    for (const box of boxesWithin(layer.get(county)!.boxes, furthest)) {
      const side = `${stateOf(county)} ${Math.sign(box.minLon + box.maxLon)}`;
      const known = bySide.get(side);
      bySide.set(side, known ? boxAroundBoth(known, box) : box);
    }
  }
  return [...bySide.values()];
}

function statesWithin({ layer, boxes, furthest }: FetchArea): StateFips[] {
  const reach = boxesWithin(boxes, furthest);
  const states = new Set<StateFips>();
  for (const { state, boxes: own } of layer.values()) {
    if (states.has(state) || !isState(state)) continue;
    if (own.some((box) => reach.some((wanted) => boxesMeet(wanted, box)))) states.add(state);
  }
  return [...states].sort();
}

function boxesWithin(boxes: readonly BoundingBox[], furthest: Metres): BoundingBox[] {
  return boxes.flatMap((box) => cutAtAntimeridian(bufferBox(box, furthest)));
}

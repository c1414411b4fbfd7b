import {
  type CountyManifest,
  FORMAT_VERSION,
  type Latest,
  type Manifest,
} from '../shards/manifest.ts';
import type { StreetMode } from '../shards/modes.ts';
import type { WritableStore } from '../shards/store/store.ts';
import { Taxonomy } from '../shards/taxonomy.ts';
import type { BoundingBox, CountyFips, Metres } from '../shards/units.ts';
import { type CensusBlock, countiesIn, readBlocks } from './census/blocks.ts';
import { buildCounty } from './county/county-objects.ts';
import { TAXONOMY, TAXONOMY_VERSION } from './destinations/taxonomy.ts';
import { boxContains, bufferBox } from './geo/wgs84.ts';
import { fingerprint } from './inputs/fingerprint.ts';
import { extractOsm, type OsmExtract } from './osm/extract.ts';
import type { Progress } from './progress.ts';
import { publishManifest, putCounty } from './publish/publish.ts';
import { assumptions, ROUTING } from './routing-parameters.ts';
import { buildModeNetwork } from './streets/mode-network.ts';
import { buildNetwork } from './streets/network.ts';

/** What a release is made of. */
export interface BuildRequest {
  /** OSM PBF files. */
  readonly osm: readonly string[];
  /** TIGER/Line `tabblock20` shapefiles, zipped or not. */
  readonly blocks: readonly string[];
  /** Empty: every county the block files speak of. */
  readonly counties: readonly CountyFips[];
  /** The label of the release. */
  readonly release: string;
}

export interface BuildResult {
  readonly latest: Latest;
  readonly manifest: Manifest;
  /** Rows of all POI matrices, and the bytes of those objects. */
  readonly poiRows: number;
  readonly poiBytes: number;
}

const MODES: readonly StreetMode[] = ['walk', 'bike'];
const SECONDS_PER_MINUTE = 60;

/** As far as anything within reach of a county can be: a straight half-hour ride, and the link. */
const BUFFER: Metres =
  ROUTING.bikeMetresPerSecond * ROUTING.maxMinutes * SECONDS_PER_MINUTE + ROUTING.linkRadii[1];

/** Census day: what the 2020 blocks and their populations speak of. */
const CENSUS_DAY = '2020-04-01';

/**
 * Builds a release from open data and publishes it. Nothing is published unless all of it was
 * built: `latest.json` is swapped last.
 */
export async function buildRelease(
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
): Promise<BuildResult> {
  const blocks = await readCountyBlocks(request, progress);
  const area = bufferBox(boxAround([...blocks.values()].flat()), BUFFER);
  const extract = await extractOsm(request.osm, area, progress);

  const networkStage = progress.start('network', MODES.length, 'modes');
  const streets = buildNetwork(extract.streets, extract.nodes);
  const networks = MODES.map((mode, i) => {
    const network = buildModeNetwork(streets, mode, extract.coverage);
    networkStage.at(i + 1);
    return network;
  });
  networkStage.finish(
    `${streets.edgeCount} street edges; ${networks.map((n) => `${n.mode}: ${n.graph.vertexCount} vertices, ${n.islandVertices} cut off on islands`).join('; ')}`,
  );

  const taxonomy = new Taxonomy(TAXONOMY.map(publicType));
  const counties: Record<CountyFips, CountyManifest> = {};
  const total = [...blocks.values()].reduce((sum, list) => sum + list.length, 0);
  const search = progress.start('search', total, 'blocks');
  let done = 0;
  let poiRows = 0;
  let poiBytes = 0;
  for (const [county, countyBlocks] of blocks) {
    const reach = bufferBox(boxAround(countyBlocks), BUFFER);
    const destinations = extract.destinations
      .filter((d) => d.entrances.some(({ lon, lat }) => boxContains(reach, lon, lat)))
      .sort((a, b) => a.destId - b.destId);
    const built = buildCounty(
      { county, blocks: countyBlocks, destinations, networks },
      taxonomy.leafIds,
      (inCounty) => search.at(done + inCounty),
    );
    done += countyBlocks.length;
    poiRows += built.poiRows;
    poiBytes += built.objects.pois.length;
    counties[county] = await putCounty(store, county, built);
  }
  search.finish(`${poiRows} POI rows, ${(poiBytes / Math.max(1, poiRows)).toFixed(2)} bytes each`);

  const manifest: Manifest = {
    format: FORMAT_VERSION,
    release: request.release,
    modes: [...MODES],
    components: await components(request, extract),
    assumptions: assumptions(),
    taxonomy: { version: TAXONOMY_VERSION, types: [...taxonomy.types] },
    counties,
  };
  const latest = await publishManifest(store, manifest, new Date());
  return { latest, manifest, poiRows, poiBytes };
}

async function readCountyBlocks(request: BuildRequest, progress: Progress) {
  const counties =
    request.counties.length > 0
      ? [...new Set(request.counties)].sort()
      : await countiesIn(request.blocks);
  const stage = progress.start('blocks', null, 'records');
  const blocks = await readBlocks(request.blocks, counties, (records) => stage.at(records));
  const kept = [...blocks.values()].reduce((sum, list) => sum + list.length, 0);
  stage.finish(`${kept} blocks of ${counties.join(', ')}`);
  return blocks;
}

async function components(
  request: BuildRequest,
  extract: OsmExtract,
): Promise<Manifest['components']> {
  const osm = `osm-${(await fingerprint(request.osm)).slice(0, 16)}`;
  const tiger = `tabblock20-${(await fingerprint(request.blocks)).slice(0, 16)}`;
  const osmDay = new Date(extract.newestMs).toISOString().slice(0, 10);
  const pois = `${osm}/taxonomy-${TAXONOMY_VERSION}`;
  return [
    { component: 'road_network', version: osm, effective_date: osmDay },
    { component: 'pois', version: pois, effective_date: osmDay },
    { component: 'blocks', version: tiger, effective_date: CENSUS_DAY },
    { component: 'parks', version: pois, effective_date: osmDay },
  ];
}

function publicType({ dest_type_id, label, name, parent_id }: (typeof TAXONOMY)[number]) {
  return { dest_type_id, label, name, parent_id };
}

function boxAround(blocks: readonly CensusBlock[]): BoundingBox {
  let [minLon, minLat, maxLon, maxLat] = [180, 90, -180, -90];
  for (const { lon, lat } of blocks) {
    minLon = Math.min(minLon, lon);
    maxLon = Math.max(maxLon, lon);
    minLat = Math.min(minLat, lat);
    maxLat = Math.max(maxLat, lat);
  }
  return { minLon, minLat, maxLon, maxLat };
}

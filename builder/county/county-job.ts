import type { BlockLink, BlockRecord } from '../../shards/index/block-index.ts';
import type { ModeRow } from '../../shards/matrix/row-codec.ts';
import type { CountyFips } from '../../shards/units.ts';
import { toMicro } from '../../shards/units.ts';
import type { CensusBlock } from '../census/blocks.ts';
import type { Destination } from '../destinations/destination.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import { toTenths } from '../search/round.ts';
import { StreetSearch } from '../search/street-search.ts';
import { hangTerminals, type TargetLink } from '../search/terminals.ts';
import type { Link } from '../streets/linker.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';

/** What was found out about one block: how it is linked, and what is within reach of it by mode. */
export interface BlockTimes {
  readonly record: BlockRecord;
  /** One a mode; targets are ordinals in the job's destinations. Valid until the next block. */
  readonly rows: readonly ModeRow[];
}

export interface CountyJob {
  readonly county: CountyFips;
  /** Ascending by GEOID. */
  readonly blocks: readonly CensusBlock[];
  /** Ascending by `destId`: everything that may be within reach, the neighbours' too. */
  readonly destinations: readonly Destination[];
  readonly networks: readonly ModeNetwork[];
}

/** Routes every block of a county by every street mode, in the order of the blocks. */
export function* routeCounty(job: CountyJob): Generator<BlockTimes> {
  const limit = ROUTING.maxMinutes * MILLIS_PER_MINUTE;
  const searches = job.networks.map(
    ({ graph, linker }) =>
      new StreetSearch(
        graph,
        hangTerminals(graph, job.destinations.length, linkDestinations(job.destinations, linker)),
        limit,
      ),
  );
  for (const block of job.blocks) {
    const links = job.networks.map(({ linker }) => linker.link(block.lon, block.lat));
    yield {
      record: {
        geoid: block.geoid,
        population: block.population,
        landArea: block.landArea,
        lon: toMicro(block.lon),
        lat: toMicro(block.lat),
        links: links.map(linkFacts),
      },
      rows: links.map((link, mode) => rowOf(searches[mode], link)),
    };
  }
}

function linkDestinations(
  destinations: readonly Destination[],
  linker: ModeNetwork['linker'],
): TargetLink[] {
  return destinations.flatMap(({ entrances }, target) =>
    entrances.flatMap(({ lon, lat }) => {
      const link = linker.link(lon, lat);
      return typeof link === 'string' ? [] : [{ target, link }];
    }),
  );
}

function linkFacts(link: ReturnType<ModeNetwork['linker']['link']>): BlockLink {
  return typeof link === 'string'
    ? { status: link, snap: 0 }
    : { status: 'linked', snap: link.snap };
}

function rowOf(search: StreetSearch, link: Link | string): ModeRow {
  const count = typeof link === 'string' ? 0 : search.run(link);
  const targets = search.reached.slice(0, count).sort();
  const times = new Uint16Array(count);
  for (let i = 0; i < count; i++) times[i] = toTenths(search.times[targets[i]]);
  return { targets, times };
}

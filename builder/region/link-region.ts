import type { BlockLink } from '../../shards/blocks/block-index.ts';
import { linkModesOf } from '../../shards/modes.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import { basesOf } from '../../shards/services.ts';
import type { Taxonomy } from '../../shards/taxonomy.ts';
import type { BlockPoint } from '../census/blocks.ts';
import type { Destination } from '../destinations/destination.ts';
import { PoiAreas } from '../destinations/poi-areas.ts';
import { STOP_LEAVES } from '../destinations/taxonomy.ts';
import type { Progress } from '../progress.ts';
import type { SearchRegion } from '../search/search-region.ts';
import { linkTargets, type TargetLink } from '../streets/linked-targets.ts';
import type { Link } from '../streets/linker.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';
import { searchGraphOf } from '../streets/search-graph.ts';
import { packLinks, type StreetRegion } from '../streets/street-region.ts';
import { linkStops, type StopLinks } from '../transit/stop-links.ts';
import { type WalkedTransit, walkFromStops } from '../transit/stop-walks.ts';
import type { Region } from './read-region.ts';

/** The linked region: the data that searches run on, and the links of each block. */
export interface LinkedRegion {
  readonly region: Region;
  readonly searchRegion: SearchRegion;
  /** The target blocks, ascending by GEOID, which is how the region numbers them. */
  readonly blocks: readonly BlockPoint[];
  /** The links of each block, one per mode of `linkModesOf`. */
  readonly links: readonly (readonly BlockLink[])[];
  readonly taxonomy: Taxonomy;
  /** The searched services, in the order in which they are stored. */
  readonly modes: readonly string[];
}

/** Whether trips by any mode can begin at a block. */
export function isLinked(links: readonly BlockLink[]): boolean {
  return links.some(({ status }) => status === 'linked');
}

/**
 * Links destinations, blocks and stops to the streets, and computes walks from every stop. `modes`
 * and `taxonomy` are those of the plan.
 */
export function linkRegion(
  region: Region,
  modes: readonly string[],
  taxonomy: Taxonomy,
  progress: Progress,
): LinkedRegion {
  const blocks = [...region.targets.values()].flat();
  const { destinations, networks } = region;
  const firstStop = destinations.length + blocks.length;
  const stage = progress.start('linking', networks.length, 'modes');
  const linksOf = networks.map((network, i) => {
    stage.at(i);
    return linkAll(network, destinations, blocks);
  });
  const walked: WalkedTransit[] = [];
  const streets = networks.map((walk, i) => {
    const riders = region.riders.find((one) => one.walk === walk.mode);
    if (riders === undefined) return withStops(walk, linksOf[i], firstStop);
    const { windows } = riders;
    const links = linkStops(windows[0], walk, firstStop);
    const street = withStops(walk, linksOf[i], firstStop, links);
    walked.push({ windows, walk, links, targets: street.targets });
    return street;
  });
  const linksBy = new Map<string, ModeLinks>(networks.map(({ mode }, i) => [mode, linksOf[i]]));
  const recorded = linkModesOf(modes).map((mode) => linksBy.get(mode)!.blocks);
  const linked = linksOf[0].blocks.filter((link) => typeof link !== 'string').length;
  stage.finish(
    `${withCommas(linked)} of ${counted(blocks.length, 'block')} near a walkable street`,
  );

  const poiAreas = new PoiAreas(destinations);
  const transit = walkFromStops(walked, poiAreas, progress, region.routing);
  const inside = packLists(blocks.map(({ lon, lat }) => poiAreas.at(lon, lat)));
  const columnOf = new Map(taxonomy.leafIds.map((id, column) => [id, column]));
  const leaves = packLists(
    destinations.map(({ types }) => types.map((type) => columnOf.get(type)!)),
  );
  const types = packLists(destinations.map((one) => typePositions(taxonomy, one)));
  return {
    region,
    blocks,
    links: blocks.map((_, i) => recorded.map((links) => factsOf(links[i]))),
    taxonomy,
    modes,
    searchRegion: {
      routing: region.routing,
      destinationCount: destinations.length,
      blockCount: blocks.length,
      streets,
      bases: basesOf(modes),
      riders: transit.map((windows, r) => ({ walk: networks.indexOf(walked[r].walk), windows })),
      firstInside: inside.first,
      inside: inside.values,
      firstLeaf: leaves.first,
      leaves: leaves.values,
      leafCount: taxonomy.leafIds.length,
      firstType: types.first,
      types: types.values,
      typeCount: taxonomy.types.length,
    },
  };
}

/** Finds the positions in the taxonomy of a destination's types and of all their ancestors. */
function typePositions(taxonomy: Taxonomy, { types }: Destination): number[] {
  return [...taxonomy.types.keys()].filter((position) =>
    taxonomy.leavesOf(taxonomy.types[position].dest_type_id).some((leaf) => types.includes(leaf)),
  );
}

/**
 * Packs lists into one array: list `i` is `values[first[i]]` to `values[first[i + 1]]`, exclusive.
 */
function packLists(lists: readonly (readonly number[])[]): {
  first: Int32Array;
  values: Int32Array;
} {
  const first = new Int32Array(lists.length + 1);
  lists.forEach((list, i) => {
    first[i + 1] = first[i] + list.length;
  });
  return { first, values: Int32Array.from(lists.flat()) };
}

type LinkOrReason = ReturnType<ModeNetwork['linker']['link']>;

/** Links to the streets of a mode: of targets, of blocks, and alternative ones for riding. */
interface ModeLinks {
  readonly targets: TargetLink[];
  readonly blocks: readonly LinkOrReason[];
  readonly toRide: readonly (Link | null)[];
}

function linkAll(
  { linker }: ModeNetwork,
  destinations: readonly Destination[],
  blocks: readonly BlockPoint[],
): ModeLinks {
  const targets: TargetLink[] = [];
  /**
   * Adds the links of a target. Returns the alternative link for riding, or null if there is none.
   */
  const addLinks = (
    target: number,
    { lon, lat }: Pick<BlockPoint, 'lon' | 'lat'>,
    nearest: LinkOrReason,
  ): Link | null => {
    if (typeof nearest === 'string') return null;
    const toRide = linker.linkToRide(lon, lat, nearest);
    for (const link of toRide ? [nearest, toRide] : [nearest]) targets.push({ target, link });
    return toRide;
  };
  destinations.forEach(({ entrances, types }, ordinal) => {
    const isStop = types.some((type) => STOP_LEAVES.includes(type));
    for (const entrance of entrances) {
      const { lon, lat } = entrance;
      addLinks(ordinal, entrance, isStop ? linker.linkStop(lon, lat) : linker.link(lon, lat));
    }
  });
  const linked = blocks.map(({ lon, lat, isWater }) =>
    isWater ? 'no-street-near' : linker.linkBlock(lon, lat),
  );
  const toRide = blocks.map((block, i) => addLinks(destinations.length + i, block, linked[i]));
  return { targets, blocks: linked, toRide };
}

/** The streets of a mode with all its targets: destinations and blocks, then `stops`, if any. */
function withStops(
  network: ModeNetwork,
  { targets, blocks, toRide }: ModeLinks,
  firstStop: number,
  stops?: StopLinks,
): StreetRegion {
  const graph = searchGraphOf(network.graph);
  const { into, entrances } = stops ?? { into: [], entrances: [] };
  return {
    graph,
    targets: linkTargets(graph, firstStop + entrances.length, [...targets, ...into]),
    blockLinks: packLinks(
      blocks.map((link): Link | null => (typeof link === 'string' ? null : link)),
    ),
    rideLinks: packLinks(toRide),
  };
}

function factsOf(link: LinkOrReason): BlockLink {
  return typeof link === 'string'
    ? { status: link, snap: 0 }
    : { status: 'linked', snap: link.snap };
}

import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { GrowableArray, grow } from '../../shards/arrays/growable-array.ts';
import { aroundBoth, type Bounds } from '../../shards/geometry/bounds.ts';
import type { Bytes, Degrees, EpochMillis } from '../../shards/units.ts';
import { CellRectangle, EARTH } from '../geo/cell-rectangle.ts';
import { NodeSorter, type NodeStore } from '../osm/node-store.ts';
import { readPass, readPbf } from '../osm/pbf.ts';
import { PbfAppender, type PbfHeader } from '../osm/pbf-writer.ts';
import { SortedIds } from '../osm/sorted-ids.ts';
import type { Tags } from '../osm/tags.ts';
import { isUsedNode, isUsedRelation, isUsedWay, waysAmong } from './osm-passes.ts';

/**
 * Cuts extracts that exceed memory into slices: smaller extracts, each with all that the passes of
 * `gather-osm.ts` use in a rectangle of cells, so that reading the slices gives what reading the
 * whole gives. Each extract is read twice. The first pass sorts the locations of all nodes into a
 * file (`node-store.ts`), and keeps the relations, and the nodes with tags, that are used. The
 * second has the locations of each way's nodes, so it writes the way, with them, into the slices
 * that it enters. Relations then follow their ways, and nodes with tags their own cell and the ways
 * that lead to them. Memory depends on the number of members of relations, not of nodes or ways.
 */
export interface OsmSurvey {
  readonly nodes: NodeStore;
  /** Per file: the number of its nodes, and of those in each cell that is not empty. */
  readonly counts: readonly {
    readonly all: number;
    readonly byCell: ReadonlyMap<number, number>;
  }[];
  /** The ways that used relations are drawn from. */
  readonly members: SortedIds;
  /** Per file: when the newest node or relation was edited, or the file was cut. */
  readonly newestMs: readonly EpochMillis[];
}

/** Number of times that each file is read to slice it. */
export const SLICING_PASSES = 2;

const PLAIN: PbfHeader = { required: ['OsmSchema-V0.6', 'DenseNodes'], program: 'tta' };
const LOCATED: PbfHeader = { ...PLAIN, optional: ['LocationsOnWays'] };
/** The unit of coordinates in nanodegrees that keeps those of every file. */
const UNIT = 1;

const kept = (folder: string, what: 'nodes' | 'ways' | 'relations', file: number) =>
  path.join(folder, `osm-${what}-${file}.osm.pbf`);

/** The mark of a node: its file, and whether more of it is used than the location. */
const markOf = (file: number, isUsed: boolean) => 1 + 2 * file + (isUsed ? 1 : 0);
const isUsedIn = (mark: number) => mark > 0 && mark % 2 === 0;

/** The first pass over the files. `folder` is a folder for scratch files. */
export async function surveyOsm(
  paths: readonly string[],
  cells: CellRectangle,
  folder: string,
  read: (bytes: Bytes) => void,
): Promise<OsmSurvey> {
  const sorter = new NodeSorter(path.join(folder, 'osm-locations'));
  const members = new GrowableArray(Float64Array);
  const counts: OsmSurvey['counts'][number][] = [];
  const newestMs: EpochMillis[] = [];
  for (const [file, extract] of paths.entries()) {
    const nodes = new PbfAppender(kept(folder, 'nodes', file), PLAIN, UNIT);
    const relations = new PbfAppender(kept(folder, 'relations', file), PLAIN);
    const byCell = new Map<number, number>();
    let all = 0;
    const count = (lon: Degrees, lat: Degrees) => {
      all++;
      const cell = cells.at(lon, lat);
      if (cell !== -1) byCell.set(cell, (byCell.get(cell) ?? 0) + 1);
    };
    const seen = await readPass(
      extract,
      {
        node(id, lon, lat, tags) {
          count(lon, lat);
          const isUsed = isUsedNode(tags);
          sorter.add(id, lon, lat, markOf(file, isUsed));
          if (isUsed) nodes.block.node(id, lon, lat, tags.entries());
        },
        location(id, lon, lat) {
          count(lon, lat);
          sorter.add(id, lon, lat, 0);
        },
        relation(id, related, tags) {
          if (!isUsedRelation(tags)) return;
          const ways = waysAmong(related);
          for (const { way } of ways) members.push(way);
          relations.block.relation(id, ways, tags.entries());
        },
      },
      read,
    );
    for (const appender of [nodes, relations]) appender.flush();
    newestMs.push(seen.newestMs);
    counts.push({ all, byCell });
  }
  return { nodes: sorter.finish(), counts, members: new SortedIds(members.view()), newestMs };
}

interface OsmSlice {
  readonly path: string;
  readonly bytes: Bytes;
}

interface SlicedOsm {
  /** Per rectangle: the slices of the files that have anything there, in the order of the files. */
  readonly slices: readonly (readonly OsmSlice[])[];
  /** Per file: when the newest element was edited, or the file was cut. */
  readonly newestMs: readonly EpochMillis[];
}

/**
 * The second pass over the files of a survey in the same folder. `rectangles` have no cell in
 * common. Removes the survey's files.
 */
export async function sliceOsm(
  paths: readonly string[],
  survey: OsmSurvey,
  rectangles: readonly CellRectangle[],
  folder: string,
  read: (bytes: Bytes) => void,
): Promise<SlicedOsm> {
  const slicer = new Slicer(survey, rectangles, folder);
  const newestMs: EpochMillis[] = [];
  for (const [file, extract] of paths.entries()) {
    newestMs.push(Math.max(survey.newestMs[file], await slicer.ways(extract, file, read)));
  }
  for (const file of paths.keys()) await slicer.relations(file);
  for (const file of paths.keys()) await slicer.distantWays(file);
  for (const file of paths.keys()) await slicer.nodes(file);
  survey.nodes.close();
  return { slices: slicer.finish(paths.length), newestMs };
}

/** No cell: the west edge is beyond the east edge. */
const NO_CELLS = [32_767, 32_767, -1, -1] as const;

class Slicer {
  readonly #nodes: NodeStore;
  readonly #members: SortedIds;
  readonly #folder: string;
  /** The rectangle of each cell, by its index. */
  readonly #rectangleOf = new Map<number, number>();
  readonly #rectangles: number;
  /** Per member of relations: the outermost cells of the way, as `CellRectangle.edges`. */
  readonly #memberEdges: Int16Array;
  /** Rectangles that need a way or node outside them, by the member or the node's id. */
  readonly #distantWays = new Map<number, number[]>();
  readonly #distantNodes = new Map<number, number[]>();
  /** The slices of the file that is being read, by rectangle. */
  readonly #slices = new Map<number, PbfAppender>();
  readonly #made = new Set<string>();
  // The way being written.
  #lon = new Float64Array(2_000);
  #lat = new Float64Array(2_000);
  #usedNodes: { readonly id: number; readonly rectangle: number | undefined }[] = [];

  constructor({ nodes, members }: OsmSurvey, rectangles: readonly CellRectangle[], folder: string) {
    this.#nodes = nodes;
    this.#members = members;
    this.#folder = folder;
    this.#rectangles = rectangles.length;
    for (const [index, rectangle] of rectangles.entries()) {
      for (const cell of rectangle.sharedWith(EARTH)) this.#rectangleOf.set(cell, index);
    }
    this.#memberEdges = new Int16Array(NO_CELLS.length * members.ids.length);
    for (let at = 0; at < this.#memberEdges.length; at += NO_CELLS.length) {
      this.#memberEdges.set(NO_CELLS, at);
    }
  }

  /** Writes the ways of a file into the slices that they enter; returns the time of its newest. */
  async ways(extract: string, file: number, read: (bytes: Bytes) => void): Promise<EpochMillis> {
    const ofRelations = new PbfAppender(kept(this.#folder, 'ways', file), PLAIN);
    const way = (id: number, refs: Float64Array, tags: Tags) => {
      const member = this.#members.find(id);
      if (member !== -1) ofRelations.block.way(id, refs, tags.entries());
      else if (!isUsedWay(tags)) return;
      const cells = this.#locate(refs);
      if (cells === null) return;
      if (member !== -1) this.#setEdges(member, cells);
      this.#write(this.#entered(cells), file, id, refs, tags);
    };
    const { newestMs } = await readPass(extract, { way }, read);
    ofRelations.flush();
    this.#flush();
    return newestMs;
  }

  /** Writes the relations of a file into the slices that their ways enter together. */
  async relations(file: number): Promise<void> {
    await readPbf(kept(this.#folder, 'relations', file), {
      relation: (id, related, tags) => {
        const ways = waysAmong(related);
        const members = ways.map(({ way }) => this.#members.find(way));
        const cells = this.#cellsOf(members);
        if (cells === null) return;
        const rectangles = this.#entered(cells);
        for (const rectangle of rectangles) {
          this.#slice(rectangle, file).block.relation(id, ways, tags.entries());
        }
        for (const member of members) {
          const own = this.#cellsOf([member]);
          const there = own === null ? [] : this.#entered(own);
          addAll(this.#distantWays, member, rectangles, there);
        }
      },
    });
    this.#flush();
  }

  /** Writes the ways of a file that relations elsewhere are drawn from. */
  async distantWays(file: number): Promise<void> {
    await readPbf(kept(this.#folder, 'ways', file), {
      way: (id, refs, tags) => {
        const rectangles = this.#distantWays.get(this.#members.find(id));
        if (rectangles === undefined) return;
        this.#locate(refs);
        this.#write(rectangles, file, id, refs, tags);
      },
    });
    this.#flush();
  }

  /** Writes the nodes of a file of which more is used than the location. */
  async nodes(file: number): Promise<void> {
    await readPbf(kept(this.#folder, 'nodes', file), {
      node: (id, _lon, _lat, tags) => {
        // A later file may have another version of the node, which may not be used.
        if (!this.#nodes.find(id) || this.#nodes.mark !== markOf(file, true)) return;
        const { lon, lat } = this.#nodes;
        const here = this.#rectangleAt(lon, lat);
        const rectangles = this.#distantNodes.get(id) ?? [];
        for (const rectangle of here === undefined ? rectangles : [here, ...rectangles]) {
          this.#slice(rectangle, file).block.node(id, lon, lat, tags.entries());
        }
      },
    });
    this.#flush();
  }

  /** Returns the slices by rectangle, and removes what else was written. */
  finish(files: number): OsmSlice[][] {
    for (let file = 0; file < files; file++) {
      for (const what of ['nodes', 'ways', 'relations'] as const) {
        rmSync(kept(this.#folder, what, file));
      }
    }
    return Array.from({ length: this.#rectangles }, (_, rectangle) =>
      Array.from({ length: files }, (_, file) => this.#pathOf(rectangle, file))
        .filter((slice) => this.#made.has(slice))
        .map((slice) => ({ path: slice, bytes: statSync(slice).size })),
    );
  }

  /**
   * Finds the nodes of a way. Returns the cells between those of its outermost nodes; null if none
   * is known.
   */
  #locate(refs: Float64Array): CellRectangle | null {
    const nodes = this.#nodes;
    if (refs.length > this.#lon.length) {
      this.#lon = grow(this.#lon, refs.length);
      this.#lat = grow(this.#lat, refs.length);
    }
    this.#usedNodes = [];
    let [minLon, minLat, maxLon, maxLat] = [180, 90, -180, -90];
    let isKnown = false;
    for (let i = 0; i < refs.length; i++) {
      if (!nodes.find(refs[i])) {
        this.#lon[i] = Number.NaN;
        continue;
      }
      const { lon, lat } = nodes;
      this.#lon[i] = lon;
      this.#lat[i] = lat;
      isKnown = true;
      if (lon < minLon) minLon = lon;
      if (lon > maxLon) maxLon = lon;
      if (lat < minLat) minLat = lat;
      if (lat > maxLat) maxLat = lat;
      if (isUsedIn(nodes.mark)) {
        this.#usedNodes.push({ id: refs[i], rectangle: this.#rectangleAt(lon, lat) });
      }
    }
    return isKnown ? CellRectangle.of({ minLon, minLat, maxLon, maxLat }) : null;
  }

  /** Writes the way whose nodes were found last. */
  #write(
    rectangles: readonly number[],
    file: number,
    id: number,
    refs: Float64Array,
    tags: Tags,
  ): void {
    for (const rectangle of rectangles) {
      this.#slice(rectangle, file).block.way(id, refs, tags.entries(), this.#lon, this.#lat);
    }
    for (const node of this.#usedNodes) {
      const own = node.rectangle === undefined ? [] : [node.rectangle];
      addAll(this.#distantNodes, node.id, rectangles, own);
    }
  }

  #entered(cells: CellRectangle): number[] {
    const found: number[] = [];
    for (const cell of cells.sharedWith(EARTH)) {
      const rectangle = this.#rectangleOf.get(cell);
      if (rectangle !== undefined && !found.includes(rectangle)) found.push(rectangle);
    }
    return found;
  }

  #rectangleAt(lon: Degrees, lat: Degrees): number | undefined {
    return this.#rectangleOf.get(EARTH.at(lon, lat));
  }

  /** Adds the cells of a version of a way. */
  #setEdges(member: number, cells: CellRectangle): void {
    const at = member * NO_CELLS.length;
    const edges = this.#memberEdges.subarray(at, at + NO_CELLS.length);
    edges.set(aroundBoth(edges, cells.edges));
  }

  /** The cells between the outermost ones of some members of relations; null if none is known. */
  #cellsOf(members: readonly number[]): CellRectangle | null {
    let all: Bounds = NO_CELLS;
    for (const member of members) {
      const at = member * NO_CELLS.length;
      all = aroundBoth(all, this.#memberEdges.subarray(at, at + NO_CELLS.length));
    }
    return all[0] > all[2] ? null : CellRectangle.within(all);
  }

  #slice(rectangle: number, file: number): PbfAppender {
    let appender = this.#slices.get(rectangle);
    if (appender === undefined) {
      const slice = this.#pathOf(rectangle, file);
      appender = new PbfAppender(slice, this.#made.has(slice) ? null : LOCATED, UNIT);
      this.#slices.set(rectangle, appender);
      this.#made.add(slice);
    }
    return appender;
  }

  #pathOf(rectangle: number, file: number): string {
    return path.join(this.#folder, `osm-${rectangle}-${file}.osm.pbf`);
  }

  /** Ends a pass over a file. */
  #flush(): void {
    for (const slice of this.#slices.values()) slice.flush();
    this.#slices.clear();
  }
}

/** Adds rectangles to those of a key, except for some, each once. */
function addAll(
  byKey: Map<number, number[]>,
  key: number,
  rectangles: readonly number[],
  except: readonly number[],
): void {
  for (const rectangle of rectangles) {
    if (except.includes(rectangle)) continue;
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [rectangle]);
    else if (!known.includes(rectangle)) known.push(rectangle);
  }
}

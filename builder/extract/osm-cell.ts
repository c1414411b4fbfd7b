import { concat } from '../../shards/arrays/concat.ts';
import { type Section, writeEnvelope } from '../../shards/store/envelope.ts';
import type { AreaSource, PointSource } from '../destinations/from-osm.ts';
import { bytesOf, openTable } from '../inputs/number-table.ts';
import { NodeTable } from '../osm/node-table.ts';
import type { Tags } from '../osm/tags.ts';
import type { WayTime } from '../streets/way-time.ts';
import type { CellElements } from './osm-by-cells.ts';
import type { OsmElements } from './osm-elements.ts';
import { addStreet, addWay, emptyStreets, emptyWays, type RawWays, refsOf } from './raw-ways.ts';

/**
 * Envelope kind of the object that holds the OpenStreetMap elements of a cell. Numbers keep their
 * full precision.
 */
const KIND = 'OSMC';

type TagList = readonly (readonly [key: string, value: string])[];

/** The non-numeric part, as JSON: the few elements that may be destinations, and ferries. */
interface TaggedElements {
  readonly areas: readonly (Omit<AreaSource, 'tags'> & { readonly tags: TagList })[];
  readonly points: readonly (Omit<PointSource, 'tags'> & { readonly tags: TagList })[];
  /** Travel times by index of the street in the cell. */
  readonly times: readonly (readonly [number, WayTime])[];
}

export class OsmCellEncoder {
  readonly #elements: OsmElements;
  /** Index of each node of the table in the cell being encoded. */
  readonly #numberOf: Uint32Array;

  constructor(elements: OsmElements) {
    this.#elements = elements;
    this.#numberOf = new Uint32Array(elements.table.ids.length);
  }

  encode({ streets, impassable, areas, points }: CellElements): Uint8Array {
    const { table, ...all } = this.#elements;
    const members = this.#membersOf(areas);
    const ways = {
      streets: this.#waysOf(all.streets, streets),
      impassable: this.#waysOf(all.impassable, impassable),
      members: this.#waysOf(members, [...Array(members.osmId.length).keys()]),
    };
    const nodes = this.#numberNodes(Object.values(ways).map(({ nodes }) => nodes));
    const traits = all.streets.traits.view();
    const tagged: TaggedElements = {
      areas: areas.map((area) => ({ ...area, tags: listOf(area.tags) })),
      points: points.map((point) => ({ ...point, tags: listOf(point.tags) })),
      times: streets.flatMap((way, i) => {
        const time = all.streets.times.get(way);
        return time ? [[i, time] as const] : [];
      }),
    };
    return writeEnvelope(KIND, [
      { tag: 'NODE', bytes: bytesOf(Float64Array.from(nodes, (node) => table.ids[node])) },
      { tag: 'LON ', bytes: bytesOf(Float64Array.from(nodes, (node) => table.lon[node])) },
      { tag: 'LAT ', bytes: bytesOf(Float64Array.from(nodes, (node) => table.lat[node])) },
      { tag: 'TRAI', bytes: Uint8Array.from(nodes, (node) => table.traits[node]) },
      { tag: 'GATE', bytes: Uint8Array.from(nodes, (node) => table.gate[node]) },
      { tag: 'STRA', bytes: bytesOf(Uint32Array.from(streets, (way) => traits[way])) },
      ...this.#sectionsOf('S', ways.streets),
      ...this.#sectionsOf('I', ways.impassable),
      ...this.#sectionsOf('M', ways.members),
      { tag: 'TAGS', bytes: Buffer.from(JSON.stringify(tagged)) },
    ]);
  }

  #membersOf(areas: readonly AreaSource[]): RawWays {
    const drawing = emptyWays();
    for (const way of new Set(areas.flatMap(({ members }) => members.map(({ way }) => way)))) {
      const refs = this.#elements.memberWays.get(way);
      if (refs) addWay(drawing, way, refs);
    }
    return drawing;
  }

  #waysOf(all: RawWays, ways: readonly number[]): NodeWays {
    const { table } = this.#elements;
    const ids = all.osmId.view();
    const ends = new Uint32Array(ways.length);
    let count = 0;
    ways.forEach((way, i) => {
      ends[i] = count += refsOf(all, way).length;
    });
    const nodes = new Uint32Array(count);
    let at = 0;
    for (const way of ways) for (const id of refsOf(all, way)) nodes[at++] = table.find(id);
    return { ids: Float64Array.from(ways, (way) => ids[way]), ends, nodes };
  }

  /** Numbers the distinct nodes of a cell in ascending order, and returns them. */
  #numberNodes(lists: readonly Uint32Array[]): Uint32Array {
    const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const list of lists) {
      all.set(list, at);
      at += list.length;
    }
    const nodes = all.sort().filter((node, i) => i === 0 || node !== all[i - 1]);
    nodes.forEach((node, number) => {
      this.#numberOf[node] = number;
    });
    return nodes;
  }

  #sectionsOf(letter: string, { ids, ends, nodes }: NodeWays): Section[] {
    const refs = nodes.map((node) => this.#numberOf[node]);
    return [
      { tag: `${letter}IDS`, bytes: bytesOf(ids) },
      { tag: `${letter}END`, bytes: bytesOf(ends) },
      { tag: `${letter}REF`, bytes: bytesOf(refs) },
    ];
  }
}

/** Ways with their nodes as ordinals in the table, and the exclusive end of each way in `nodes`. */
interface NodeWays {
  readonly ids: Float64Array;
  readonly ends: Uint32Array;
  readonly nodes: Uint32Array;
}

/** Reassembles the elements of cells, each once, ascending by id. */
export class OsmCellJoiner {
  readonly #streets = emptyStreets();
  readonly #impassable = emptyWays();
  readonly #memberWays = new Map<number, Float64Array>();
  readonly #areas = new Map<string, AreaSource>();
  readonly #points: PointSource[] = [];
  readonly #nodes: Pick<NodeTable, 'ids' | 'lon' | 'lat' | 'traits' | 'gate'>[] = [];
  readonly #seenStreets = new Set<number>();
  readonly #seenImpassable = new Set<number>();

  /** Adds a cell, decoded from the object of this name. */
  add(object: string, bytes: Uint8Array): void {
    const { section, numbers, uint32s } = openTable(object, bytes, KIND);
    const ids = numbers('NODE');
    this.#nodes.push({
      ids,
      lon: numbers('LON '),
      lat: numbers('LAT '),
      traits: section('TRAI'),
      gate: section('GATE'),
    });
    const eachWay = (
      letter: string,
      visit: (id: number, refs: Float64Array, i: number) => void,
    ) => {
      const [ends, refs] = [uint32s(`${letter}END`), uint32s(`${letter}REF`)];
      let start = 0;
      numbers(`${letter}IDS`).forEach((id, i) => {
        visit(
          id,
          Float64Array.from(refs.subarray(start, ends[i]), (ref) => ids[ref]),
          i,
        );
        start = ends[i];
      });
    };
    const tagged = JSON.parse(Buffer.from(section('TAGS')).toString()) as TaggedElements;
    const times = new Map(tagged.times);
    const traits = uint32s('STRA');
    eachWay('S', (id, refs, i) => {
      if (this.#seenStreets.has(id)) return;
      this.#seenStreets.add(id);
      addStreet(this.#streets, id, refs, traits[i], times.get(i));
    });
    eachWay('I', (id, refs) => {
      if (this.#seenImpassable.has(id)) return;
      this.#seenImpassable.add(id);
      addWay(this.#impassable, id, refs);
    });
    eachWay('M', (id, refs) => this.#memberWays.set(id, refs));
    for (const area of tagged.areas) {
      this.#areas.set(`${area.type} ${area.id}`, { ...area, tags: new Map(area.tags) });
    }
    for (const point of tagged.points) this.#points.push({ ...point, tags: new Map(point.tags) });
  }

  finish(): OsmElements {
    return {
      streets: this.#sortedStreets(),
      impassable: this.#sortedImpassable(),
      // Relations come first, since the duplicate with the lower index takes precedence.
      areas: [...this.#areas.values()].sort((a, b) =>
        a.type === b.type ? a.id - b.id : a.type === 'relation' ? -1 : 1,
      ),
      memberWays: this.#memberWays,
      points: this.#points.sort((a, b) => a.id - b.id),
      table: this.#table(),
    };
  }

  #sortedStreets() {
    const [sorted, found] = [emptyStreets(), this.#streets];
    const [ids, traits] = [found.osmId.view(), found.traits.view()];
    for (const way of ascending(ids)) {
      addStreet(sorted, ids[way], refsOf(found, way), traits[way], found.times.get(way));
    }
    return sorted;
  }

  #sortedImpassable() {
    const sorted = emptyWays();
    const ids = this.#impassable.osmId.view();
    for (const way of ascending(ids)) addWay(sorted, ids[way], refsOf(this.#impassable, way));
    return sorted;
  }

  #table(): NodeTable {
    const table = new NodeTable(concat(this.#nodes.map(({ ids }) => ids)));
    for (const { ids, lon, lat, traits, gate } of this.#nodes) {
      ids.forEach((id, i) => {
        // A batch of cells may lack the node because it did not read the file that has it, while
        // another batch did.
        if (Number.isNaN(lon[i])) return;
        const node = table.find(id);
        table.lon[node] = lon[i];
        table.lat[node] = lat[i];
        table.traits[node] = traits[i];
        table.gate[node] = gate[i];
      });
    }
    return table;
  }
}

/** Indices of ids, in ascending order of the ids. */
function ascending(ids: Float64Array): Uint32Array {
  return Uint32Array.from(ids.keys()).sort((a, b) => ids[a] - ids[b]);
}

function listOf(tags: Tags): TagList {
  return [...tags.entries()];
}

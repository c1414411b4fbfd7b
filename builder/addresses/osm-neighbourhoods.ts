import { pointInside } from '../../shards/geometry/planar.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import { assemblePolygons } from '../osm/multipolygon.ts';
import type { RelationMember } from '../osm/primitive-block.ts';
import { partOfCity, type Tags } from '../osm/tags.ts';

/** A neighbourhood as its source has it, not yet placed in a block. */
export interface SourceNeighbourhood {
  readonly neighbourhood: string;
  /** A point in it. */
  readonly line: readonly [Position];
}

interface DrawnNeighbourhood {
  readonly name: string;
  readonly ways: readonly number[];
  /** The node of its label; null where it has none. */
  readonly label: number | null;
}

/**
 * Collects the neighbourhoods, quarters and suburbs of OpenStreetMap as their elements are read:
 * nodes, closed ways, relations.
 */
export class OsmNeighbourhoods {
  readonly #points: SourceNeighbourhood[] = [];
  readonly #drawn: DrawnNeighbourhood[] = [];
  readonly #ways = new Map<number, Float64Array>();
  readonly #outer = new Set<number>();

  relation(members: readonly RelationMember[], tags: Tags): void {
    const part = partOfCity(tags);
    if (part === null) return;
    const ways = members
      .filter(({ type, role }) => type === 'way' && role !== 'inner')
      .map(({ ref }) => ref);
    const label = members.find(({ type, role }) => type === 'node' && role === 'label');
    for (const way of ways) this.#outer.add(way);
    this.#drawn.push({ name: part.name, ways, label: label?.ref ?? null });
  }

  way(id: number, refs: ArrayLike<number>, tags: Tags): void {
    const isClosed = refs.length > 3 && refs[0] === refs[refs.length - 1];
    const part = isClosed && tags.size > 0 ? partOfCity(tags) : null;
    if (part !== null) this.#drawn.push({ name: part.name, ways: [id], label: null });
    if (part !== null || this.#outer.has(id)) this.#ways.set(id, Float64Array.from(refs));
  }

  node(position: Position, tags: Tags): void {
    const part = partOfCity(tags);
    if (part !== null) this.#points.push({ neighbourhood: part.name, line: [position] });
  }

  /** The nodes whose positions are needed, after relations and ways. */
  nodes(): number[] {
    const labels = this.#drawn.flatMap(({ label }) => (label === null ? [] : [label]));
    return [...labels, ...[...this.#ways.values()].flatMap((refs) => [...refs])];
  }

  /**
   * The neighbourhoods, nodes first: their mappers chose the point. Areas that the file cuts off
   * are left out. `positionsOf`: of those nodes that the file has.
   */
  *finish(
    positionsOf: (refs: ArrayLike<number>) => readonly Position[],
  ): Generator<SourceNeighbourhood> {
    yield* this.#points;
    for (const { name, ways, label } of this.#drawn) {
      const [labelled] = label === null ? [] : positionsOf([label]);
      const lines = ways.map((way) => positionsOf(this.#ways.get(way) ?? []));
      const polygons = assemblePolygons(lines.map((positions) => ({ role: 'outer', positions })));
      if (labelled) yield { neighbourhood: name, line: [labelled] };
      else if (polygons.length > 0) yield { neighbourhood: name, line: [pointInside(polygons)] };
    }
  }
}

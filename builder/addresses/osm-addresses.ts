import { EVEN_NUMBERS, EVERY_NUMBER, ODD_NUMBERS } from '../../shards/addresses/address-table.ts';
import { parseHouseNumbers } from '../../shards/addresses/house-number.ts';
import { concat } from '../../shards/arrays/concat.ts';
import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import { boxOf } from '../../shards/geometry/wgs84.ts';
import { NodeTable } from '../osm/node-table.ts';
import { readPbf } from '../osm/pbf.ts';
import type { Tags } from '../osm/tags.ts';
import { OsmNeighbourhoods, type SourceNeighbourhood } from './osm-neighbourhoods.ts';
import { type SourceRange, zipOf } from './source-range.ts';

/** The house numbers of a node, a way or a relation. */
interface Numbered {
  readonly street: string;
  readonly zip: string;
  readonly numbers: string;
}

/** A way along numbered nodes, between which the numbers of a parity are. */
interface Interpolation {
  readonly refs: Float64Array;
  readonly street: string;
  readonly parity: number;
}

/** House numbers in 12 bytes each, besides every text once. */
class NumberedColumns {
  readonly #texts: string[] = [];
  readonly #textIds = new Map<string, number>();
  readonly #ids = new GrowableArray(Int32Array);

  get length(): number {
    return this.#ids.length / 3;
  }

  push({ street, zip, numbers }: Numbered): void {
    for (const text of [street, zip, numbers]) this.#ids.push(this.#idOf(text));
  }

  at(i: number): Numbered {
    const [street, zip, numbers] = this.#ids.view().subarray(3 * i, 3 * i + 3);
    const texts = this.#texts;
    return { street: texts[street], zip: texts[zip], numbers: texts[numbers] };
  }

  #idOf(text: string): number {
    const known = this.#textIds.get(text);
    if (known !== undefined) return known;
    this.#textIds.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }
}

const PARITIES: Readonly<Record<string, number>> = {
  odd: ODD_NUMBERS,
  even: EVEN_NUMBERS,
  all: EVERY_NUMBER,
};

/**
 * Reads the `addr:*` of an OpenStreetMap file: of nodes, of ways, of the outer ways of relations,
 * which stand in the middle of their box, and the numbers between nodes of `addr:interpolation`
 * ways; and its neighbourhoods. Holds the addresses of the file in memory, in flat arrays.
 */
export async function readOsmAddresses(
  path: string,
): Promise<Iterable<SourceRange | SourceNeighbourhood>> {
  const neighbourhoods = new OsmNeighbourhoods();
  const relations = new Map<number, Numbered>();
  await readPbf(path, {
    relation(_, members, tags) {
      neighbourhoods.relation(members, tags);
      const outer = members.find(({ type, role }) => type === 'way' && role === 'outer');
      const numbered = numberedBy(tags);
      if (outer && numbered) relations.set(outer.ref, numbered);
    },
  });
  const ways = new NumberedColumns();
  const refsOfWays = new GrowableArray(Float64Array);
  /** For each way, the number of references up to its last. */
  const ends = new GrowableArray(Float64Array);
  const interpolations: Interpolation[] = [];
  await readPbf(path, {
    way(id, refs, tags) {
      neighbourhoods.way(id, refs, tags);
      const numbered = numberedBy(tags) ?? relations.get(id);
      if (numbered) {
        ways.push(numbered);
        for (let i = 0; i < refs.length; i++) refsOfWays.push(refs[i]);
        ends.push(refsOfWays.length);
      }
      const parity = PARITIES[tags.get('addr:interpolation') ?? ''];
      if (parity === undefined) return;
      const street = tags.get('addr:street') ?? '';
      interpolations.push({ refs: Float64Array.from(refs), street, parity });
    },
  });
  const drawn = Float64Array.from(neighbourhoods.nodes());
  const table = new NodeTable(
    concat([drawn, refsOfWays.view(), ...interpolations.map(({ refs }) => refs)]),
  );
  const mayBeEnds = new Set(interpolations.flatMap(({ refs }) => [...refs]));
  const numberedEnds = new Map<number, Numbered>();
  const nodes = new NumberedColumns();
  const positions = new GrowableArray(Float64Array);
  await readPbf(path, {
    node(id, lon, lat, tags) {
      table.locate(id, lon, lat);
      if (tags.size === 0) return;
      neighbourhoods.node([lon, lat], tags);
      const numbered = numberedBy(tags);
      if (numbered) {
        nodes.push(numbered);
        positions.push(lon);
        positions.push(lat);
      }
      const numbers = tags.get('addr:housenumber');
      if (numbers === undefined || !mayBeEnds.has(id)) return;
      const zip = zipOf(tags.get('addr:postcode'));
      numberedEnds.set(id, { street: tags.get('addr:street') ?? '', zip, numbers });
    },
    location: (id, lon, lat) => void table.locate(id, lon, lat),
  });
  function* found(): Generator<SourceRange | SourceNeighbourhood> {
    const [at, refs, end] = [positions.view(), refsOfWays.view(), ends.view()];
    for (let i = 0; i < nodes.length; i++) {
      yield* pointsOf(nodes.at(i), [at[2 * i], at[2 * i + 1]]);
    }
    for (let i = 0; i < ways.length; i++) {
      const outline = table.positions(refs.subarray(i === 0 ? 0 : end[i - 1], end[i]));
      if (outline.length === 0) continue;
      const { minLon, minLat, maxLon, maxLat } = boxOf(outline);
      yield* pointsOf(ways.at(i), [(minLon + maxLon) / 2, (minLat + maxLat) / 2]);
    }
    for (const way of interpolations) yield* between(way, numberedEnds, table);
    yield* neighbourhoods.finish((refs) => table.positions(refs));
  }
  return found();
}

function numberedBy(tags: Tags): Numbered | null {
  const [numbers, street] = [tags.get('addr:housenumber'), tags.get('addr:street')];
  if (numbers === undefined || street === undefined) return null;
  return { street, zip: zipOf(tags.get('addr:postcode')), numbers };
}

function pointsOf({ street, zip, numbers }: Numbered, position: Position): SourceRange[] {
  return parseHouseNumbers(numbers).map(({ number, suffix }) => ({
    street,
    zip,
    from: number,
    to: number,
    parity: EVERY_NUMBER,
    suffix,
    side: 'on',
    line: [position],
  }));
}

/** The numbers between each two consecutive numbered nodes of a way. */
function* between(
  { refs, street: streetOfWay, parity }: Interpolation,
  numbered: ReadonlyMap<number, Numbered>,
  table: NodeTable,
): Generator<SourceRange> {
  let start = -1;
  for (let i = 0; i < refs.length; i++) {
    const end = numbered.get(refs[i]);
    if (!end) continue;
    const line = start === -1 ? [] : table.positions(refs.subarray(start, i + 1));
    const first = start === -1 ? undefined : numbered.get(refs[start]);
    start = i;
    if (!first || line.length < 2) continue;
    const [[from], [to]] = [first, end].map(({ numbers }) => parseHouseNumbers(numbers));
    const street = end.street || streetOfWay;
    if (!from || !to || street === '') continue;
    const range = { street, zip: end.zip || first.zip, parity, suffix: '', side: 'on' } as const;
    yield { ...range, from: from.number, to: to.number, line };
  }
}

import { EVEN_NUMBERS, EVERY_NUMBER, ODD_NUMBERS } from '../../shards/addresses/address-table.ts';
import { parseHouseNumbers } from '../../shards/addresses/house-number.ts';
import { concat } from '../../shards/arrays/concat.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import { boxOf } from '../../shards/geometry/wgs84.ts';
import { NodeTable } from '../osm/node-table.ts';
import { readPbf } from '../osm/pbf.ts';
import type { Tags } from '../osm/tags.ts';
import { OsmNeighbourhoods, type SourceNeighbourhood } from './osm-neighbourhoods.ts';
import { type SourceRange, zipOf } from './source-range.ts';

/** An addressed way, or the outline of an addressed relation; its nodes by id. */
interface AddressedWay {
  readonly refs: Float64Array;
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

type NumberedNode = Pick<AddressedWay, 'street' | 'zip' | 'numbers'>;

const PARITIES: Readonly<Record<string, number>> = {
  odd: ODD_NUMBERS,
  even: EVEN_NUMBERS,
  all: EVERY_NUMBER,
};

/**
 * Reads the `addr:*` of an OpenStreetMap file: of nodes, of ways, of the outer ways of relations,
 * which stand in the middle of their box, and the numbers between nodes of `addr:interpolation`
 * ways; and its neighbourhoods. Holds the addresses of the file in memory.
 */
export async function readOsmAddresses(
  path: string,
): Promise<(SourceRange | SourceNeighbourhood)[]> {
  const neighbourhoods = new OsmNeighbourhoods();
  const relations = new Map<number, NumberedNode>();
  await readPbf(path, {
    relation(_, members, tags) {
      neighbourhoods.relation(members, tags);
      const outer = members.find(({ type, role }) => type === 'way' && role === 'outer');
      const numbered = numberedBy(tags);
      if (outer && numbered) relations.set(outer.ref, numbered);
    },
  });
  const ways: AddressedWay[] = [];
  const interpolations: Interpolation[] = [];
  await readPbf(path, {
    way(id, refs, tags) {
      neighbourhoods.way(id, refs, tags);
      const numbered = numberedBy(tags) ?? relations.get(id);
      if (numbered) ways.push({ ...numbered, refs: Float64Array.from(refs) });
      const parity = PARITIES[tags.get('addr:interpolation') ?? ''];
      if (parity === undefined) return;
      const street = tags.get('addr:street') ?? '';
      interpolations.push({ refs: Float64Array.from(refs), street, parity });
    },
  });
  const drawn = Float64Array.from(neighbourhoods.nodes());
  const table = new NodeTable(concat([drawn, ...[...ways, ...interpolations].map((w) => w.refs)]));
  const ends = new Set(interpolations.flatMap(({ refs }) => [...refs]));
  const numberedEnds = new Map<number, NumberedNode>();
  const ranges: SourceRange[] = [];
  const locate = (id: number, lon: number, lat: number) => {
    const ordinal = table.find(id);
    if (ordinal !== -1) [table.lon[ordinal], table.lat[ordinal]] = [lon, lat];
  };
  await readPbf(path, {
    node(id, lon, lat, tags) {
      locate(id, lon, lat);
      if (tags.size === 0) return;
      neighbourhoods.node([lon, lat], tags);
      const numbered = numberedBy(tags);
      if (numbered) ranges.push(...pointsOf(numbered, [lon, lat]));
      const numbers = tags.get('addr:housenumber');
      if (numbers === undefined || !ends.has(id)) return;
      const zip = zipOf(tags.get('addr:postcode'));
      numberedEnds.set(id, { street: tags.get('addr:street') ?? '', zip, numbers });
    },
    location: locate,
  });
  for (const { refs, ...numbered } of ways) {
    const outline = positionsOf(table, refs);
    if (outline.length === 0) continue;
    const { minLon, minLat, maxLon, maxLat } = boxOf(outline);
    ranges.push(...pointsOf(numbered, [(minLon + maxLon) / 2, (minLat + maxLat) / 2]));
  }
  for (const way of interpolations) ranges.push(...between(way, numberedEnds, table));
  return [...ranges, ...neighbourhoods.finish((refs) => positionsOf(table, refs))];
}

function numberedBy(tags: Tags): NumberedNode | null {
  const [numbers, street] = [tags.get('addr:housenumber'), tags.get('addr:street')];
  if (numbers === undefined || street === undefined) return null;
  return { street, zip: zipOf(tags.get('addr:postcode')), numbers };
}

function pointsOf({ street, zip, numbers }: NumberedNode, position: Position): SourceRange[] {
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

function positionsOf(table: NodeTable, refs: ArrayLike<number>): Position[] {
  const ordinals = Array.from(refs, (id) => table.find(id));
  return ordinals
    .filter((ordinal) => ordinal !== -1 && !table.isMissing(ordinal))
    .map((ordinal) => [table.lon[ordinal], table.lat[ordinal]]);
}

/** The numbers between each two consecutive numbered nodes of a way. */
function* between(
  { refs, street: streetOfWay, parity }: Interpolation,
  numbered: ReadonlyMap<number, NumberedNode>,
  table: NodeTable,
): Generator<SourceRange> {
  let start = -1;
  for (let i = 0; i < refs.length; i++) {
    const end = numbered.get(refs[i]);
    if (!end) continue;
    const line = start === -1 ? [] : positionsOf(table, refs.subarray(start, i + 1));
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

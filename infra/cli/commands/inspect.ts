import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { ACCESS_CLASSES_MAGIC } from '../../../shards/access/access-class-layout.ts';
import { AccessClasses } from '../../../shards/access/access-classes.ts';
import {
  ADDRESS_DIRECTORY_KIND,
  AddressDirectory,
} from '../../../shards/addresses/address-directory.ts';
import { ADDRESSES_KIND, AddressTable } from '../../../shards/addresses/address-table.ts';
import { BLOCK_BANDS_MAGIC } from '../../../shards/bands/block-band-layout.ts';
import { BlockBands } from '../../../shards/bands/block-bands.ts';
import { BEYOND } from '../../../shards/bands/time-bands.ts';
import { BlockIndex, INDEX_KIND } from '../../../shards/blocks/block-index.ts';
import { whileOpen } from '../../../shards/concurrency/while-open.ts';
import { ShardError } from '../../../shards/errors.ts';
import { geoidFromNumber } from '../../../shards/geoid.ts';
import { MATRIX_KIND, Matrix } from '../../../shards/matrix/matrix.ts';
import {
  decodeNearestRow,
  NEAREST_KIND,
  nearestRange,
  readNearestShape,
} from '../../../shards/nearest/nearest.ts';
import { counted, withCommas } from '../../../shards/number-words.ts';
import { PLACES_KIND, PlaceTable } from '../../../shards/places/place-table.ts';
import { PmtilesArchive } from '../../../shards/pmtiles/archive.ts';
import { PAGE_SUMS_KIND } from '../../../shards/pmtiles/checked-pages.ts';
import { DEST_IDS_KIND, DestDirectory } from '../../../shards/pois/dest-directory.ts';
import { PoiTable } from '../../../shards/pois/poi-table.ts';
import {
  checkedSection,
  HEADER_READ_BYTES,
  readEnvelope,
  SELF_CHECKED,
} from '../../../shards/store/envelope.ts';
import { openStore } from '../../../shards/store/open-store.ts';
import type { ObjectRef, Store } from '../../../shards/store/store.ts';
import { TRANSIT_KIND, TransitTable } from '../../../shards/transit/transit-table.ts';
import { MICRO } from '../../../shards/units.ts';
import { featuresOf } from '../../../shards/verify/layer.ts';
import { WEIGHTS_KIND, WeightTable } from '../../../shards/weights/weight-table.ts';
import { UsageError } from '../../errors.ts';
import { print } from '../print.ts';
import { run } from '../run.ts';

/** Magic bytes of objects that are not shards in an envelope. */
const FLATGEOBUF = 'fgb';
const PMTILES = 'PMTiles';

/** Advice on manifests and `latest.json`. */
const ON_JSON =
  'tta release show describes a release, and any program that reads JSON shows the file';

export function defineInspect(command: Command): void {
  command
    .argument('<object>', 'an object of a store, as a file or URL: .tta, .fgb, .pmtiles or .bands')
    .action((object: string) => run(() => inspect(object)));
}

async function inspect(file: string): Promise<void> {
  const [location, name] = storeOf(file);
  await whileOpen(openStore(location), async (store) => {
    const info = await store.stat(name);
    if (info === null) throw new UsageError(`${file}: ${await notThere(file)}`);
    const ref = { name, bytes: info.bytes, sha256: '' };
    print(`${file}: ${counted(ref.bytes, 'byte')}`);
    const first = await store.readRange(ref, 0, Math.min(HEADER_READ_BYTES, ref.bytes));
    const text = Buffer.from(first.subarray(0, PMTILES.length)).toString('latin1');
    if (text.startsWith('{')) throw new UsageError(`${file}: is JSON; ${ON_JSON}`);
    if (text.startsWith(FLATGEOBUF)) await inspectLayer(store, ref);
    else if (text === PMTILES) await inspectTiles(store, ref);
    else if (BLOCK_BANDS_MAGIC.startsWith(text)) await inspectBlockBands(store, ref);
    else if (ACCESS_CLASSES_MAGIC.startsWith(text)) await inspectAccessClasses(store, ref);
    else await inspectShard(store, ref, first);
  });
}

async function notThere(file: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  return found?.isDirectory()
    ? 'is a folder; give an object in it, or run tta release verify on a store'
    : 'no such file or object; give an object of a store';
}

/**
 * Returns the location of the store that an object is in, and the object's name there: a folder and
 * a file, since an object is checked against its kind.
 */
function storeOf(object: string): [location: string, name: string] {
  const whole = object.includes('://') ? object : path.resolve(object).replaceAll(path.sep, '/');
  const [, location, name] = /^((?:\w+:\/\/[^/]+)?.*?)\/((?:[^/]+\/)?[^/]*)$/.exec(whole)!;
  return [location || '/', name];
}

async function inspectShard(store: Store, ref: ObjectRef, first: Uint8Array): Promise<void> {
  const envelope = readEnvelope(ref.name, first, ref.bytes);
  for (const { tag, offset, bytes } of envelope.sections) {
    if (tag === SELF_CHECKED) {
      print(`  section ${tag}: ${counted(bytes, 'byte')}, one checksum per row`);
      continue;
    }
    const section = await store.readRange(ref, offset, bytes);
    checkedSection(ref.name, envelope, tag, section, offset);
    print(`  section ${tag}: ${counted(bytes, 'byte')}, checksum OK`);
  }
  const inspectKind = SHARDS.get(envelope.kind);
  if (!inspectKind) {
    throw new ShardError(ref.name, 'header', `is of an unknown kind, "${envelope.kind}"`);
  }
  await inspectKind(store, ref);
}

const SHARDS: ReadonlyMap<string, (store: Store, ref: ObjectRef) => Promise<void>> = new Map([
  [INDEX_KIND, inspectIndex],
  [NEAREST_KIND, inspectNearest],
  [MATRIX_KIND, inspectMatrix],
  [PLACES_KIND, inspectPlaces],
  [DEST_IDS_KIND, inspectDestIds],
  [WEIGHTS_KIND, inspectWeights],
  [TRANSIT_KIND, inspectTransit],
  [ADDRESSES_KIND, inspectAddresses],
  [ADDRESS_DIRECTORY_KIND, inspectAddressDirectory],
  [PAGE_SUMS_KIND, async () => print('page checksums of the archive next to it')],
]);

async function inspectIndex(store: Store, ref: ObjectRef): Promise<void> {
  const index = BlockIndex.decode(ref.name, await store.readRange(ref, 0, ref.bytes));
  const ordinals = Array.from({ length: index.count }, (_, i) => i);
  const people = ordinals.reduce((sum, i) => sum + (index.population(i) ?? 0), 0);
  print(`index: ${counted(index.count, 'block')}, ${counted(people, 'person', 'people')}`);
  for (const mode of index.linkModes) {
    const counts = new Map<string, number>();
    for (const i of ordinals) {
      const { status } = index.link(i, mode);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    print(`  ${mode}: ${[...counts].map(([status, n]) => `${n} ${status}`).join(', ')}`);
  }
  if (index.count > 0) {
    const at = `${index.lon[0] / MICRO}, ${index.lat[0] / MICRO}`;
    print(`  first block: ${geoidFromNumber(index.geoids[0])} at ${at}`);
  }
}

async function inspectNearest(store: Store, ref: ObjectRef): Promise<void> {
  const bytes = await store.readRange(ref, 0, ref.bytes);
  const { rows, columns } = readNearestShape(ref.name, bytes);
  let reached = 0;
  for (let row = 0; row < rows; row++) {
    const { offset, length } = nearestRange(row, columns);
    const times = decodeNearestRow(ref.name, row, bytes.subarray(offset, offset + length), columns);
    for (const time of times) if (time > 0) reached++;
  }
  print(
    `nearest: ${counted(rows, 'block')} × ${counted(columns, 'cell')} (mode by mode, leaf types ascending), ${withCommas(reached)} of them reached`,
  );
}

async function inspectMatrix(store: Store, ref: ObjectRef): Promise<void> {
  const matrix = await Matrix.open(store, ref);
  const { origins, targets, modes: modeCount, unit, attributes } = matrix;
  const perMode = new Array<number>(modeCount).fill(0);
  let empty = 0;
  for await (const { modes } of matrix.rows()) {
    if (modes.every((row) => row.targets.length === 0)) empty++;
    modes.forEach((row, mode) => {
      perMode[mode] += row.targets.length;
    });
  }
  const entries = perMode.reduce((sum, count) => sum + count, 0);
  print(
    `matrix: ${counted(origins.length, 'origin')} (${withCommas(empty)} empty) × ${counted(targets.length, 'target')}, in ${unit.name}`,
  );
  print(`  ${counted(entries, 'entry', 'entries')} by mode: ${perMode.join(', ')}`);
  if (entries > 0)
    print(`  ${(ref.bytes / entries).toFixed(2)} bytes per entry, including overhead`);
  if (attributes.length === 0) return;
  // The attributes belong to the POIs, which are the origins of a catchment.
  const table = PoiTable.fromBytes(ref.name, attributes);
  const pois = table.count === targets.length ? targets : origins;
  if (table.count > 0) print(`  first POI: ${pois[0]} ${JSON.stringify(table.facts(0))}`);
}

async function inspectPlaces(store: Store, ref: ObjectRef): Promise<void> {
  const table = await PlaceTable.open(store, ref);
  let blocks = 0;
  for (let i = 0; i < table.places.length; i++) blocks += (await table.blocks(i)).length;
  print(`places: ${counted(table.places.length, 'census place')} with ${counted(blocks, 'block')}`);
  const [largest] = [...table.places].sort((a, b) => b.population - a.population);
  if (largest) {
    print(
      `  largest: ${largest.geoid} ${largest.name}, ${counted(largest.population, 'person', 'people')}`,
    );
  }
}

async function inspectDestIds(store: Store, ref: ObjectRef): Promise<void> {
  const bytes = await store.readRange(ref, 0, ref.bytes);
  const { count } = new DestDirectory(ref.name, bytes);
  print(`directory: home counties of ${counted(count, 'POI')}`);
}

async function inspectWeights(store: Store, ref: ObjectRef): Promise<void> {
  const table = await WeightTable.open(store, ref);
  print(`weights: ${counted(table.names.length, 'column')} for ${counted(table.blocks, 'block')}`);
  for (const [position, weight] of table.names.entries()) {
    const counts = await table.counts(position);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const blocks = counts.filter((count) => count > 0).length;
    print(`  ${weight}: ${withCommas(total)} in ${counted(blocks, 'block')}`);
  }
}

async function inspectAddresses(store: Store, ref: ObjectRef): Promise<void> {
  const table = await AddressTable.open(store, ref);
  const { streets, neighbourhoods } = table;
  let [points, lines] = [0, 0];
  for (const row of streets.keys()) {
    const [ranges] = await table.ranges(row, row + 1);
    const single = ranges.filter(({ x }) => x.length === 1).length;
    points += single;
    lines += ranges.length - single;
  }
  const zips = new Set(streets.flatMap((street) => street.zips));
  print(
    `addresses: ${counted(streets.length, 'street')} with ${counted(points, 'house number')} and ${counted(lines, 'range')}, ${counted(zips.size, 'ZIP code')}; ${counted(neighbourhoods.length, 'neighbourhood')}`,
  );
  if (streets.length > 0) print(`  first street: ${JSON.stringify(streets[0])}`);
}

async function inspectAddressDirectory(store: Store, ref: ObjectRef): Promise<void> {
  const bytes = await store.readRange(ref, 0, ref.bytes);
  const { headBytes } = new AddressDirectory(ref.name, bytes);
  print(`directory: ZIP codes of ${counted(headBytes.size, 'county', 'counties')}`);
}

async function inspectTransit(store: Store, ref: ObjectRef): Promise<void> {
  const table = await TransitTable.open(store, ref);
  await table.checkRows();
  const { origins, blocks, pois } = table.counts;
  for (const [window, { timetable, footpaths, stops, routes }] of table.windows) {
    print(
      `transit (${window}): ${counted(stops.length, 'stop')}, ${counted(routes.length, 'route')}, ${counted(timetable.tripRoute.length, 'trip')} in ${counted(timetable.patternCount, 'pattern')}, ${counted(footpaths.ways.length / 2, 'transfer')}`,
    );
  }
  print(
    `  walks from ${counted(origins, 'block')}, to ${counted(blocks, 'block')} and ${counted(pois, 'POI')}`,
  );
}

async function inspectLayer(store: Store, ref: ObjectRef): Promise<void> {
  const types = new Map<string, number>();
  let first: unknown;
  for await (const { geometry, properties } of featuresOf(store, ref)) {
    first ??= properties;
    types.set(geometry.type, (types.get(geometry.type) ?? 0) + 1);
  }
  const counts = [...types].map(([type, n]) => `${n} × ${type}`).join(', ');
  print(`FlatGeobuf: ${counts || 'no features'}`);
  if (first) print(`  first feature: ${JSON.stringify(first)}`);
}

async function inspectTiles(store: Store, ref: ObjectRef): Promise<void> {
  const archive = await PmtilesArchive.open(store, ref);
  const { minZoom, maxZoom, bounds, addressedTiles, tileContents } = archive.header;
  const { minLon, minLat, maxLon, maxLat } = bounds;
  print(
    `PMTiles: ${counted(addressedTiles, 'tile')} with ${withCommas(tileContents)} distinct contents, zoom ${minZoom} to ${maxZoom}`,
  );
  print(`  box: ${minLon}, ${minLat}, ${maxLon}, ${maxLat}`);
  print(`  ${JSON.stringify(await archive.metadata())}`);
}

async function inspectAccessClasses(store: Store, ref: ObjectRef): Promise<void> {
  const classes = new AccessClasses(ref.name, await store.readRange(ref, 0, ref.bytes));
  const { county, blocks, counts } = classes.head;
  print(
    `access classes of county ${county}: ${counted(blocks, 'block')} × ${counted(counts.length, 'column')}`,
  );
  for (const [i, { of, direction, mode, minutes, bounds }] of counts.entries()) {
    const inClass = new Array<number>(bounds.length + 2).fill(0);
    for (const one of classes.column(i)) inClass[one]++;
    const [unrouted, ...classed] = inClass;
    print(
      `  ${of} ${direction} ${mode} ${minutes}: ${classed.join(', ')} blocks by the bounds ${bounds.map(withCommas).join(' ')}; ${unrouted} without a street near`,
    );
  }
}

async function inspectBlockBands(store: Store, ref: ObjectRef): Promise<void> {
  const bands = new BlockBands(ref.name, await store.readRange(ref, 0, ref.bytes));
  const { county, geoids, modes, leafIds } = bands;
  print(
    `block bands of county ${county}: ${counted(geoids.length, 'block')} × ${counted(modes.length * leafIds.length, 'column')} (${modes.join(', ')}; leaf types ascending)`,
  );
  for (const [m, mode] of modes.entries()) {
    const counts = new Array<number>(BEYOND + 1).fill(0);
    for (let leaf = 0; leaf < leafIds.length; leaf++) {
      for (const band of bands.column(m * leafIds.length + leaf)) counts[band]++;
    }
    const [unrouted, ...banded] = counts;
    const beyond = banded.pop();
    print(
      `  ${mode}: ${banded.join(', ')} cells by band, ${beyond} beyond, ${unrouted} of blocks without a street near`,
    );
  }
  print(`  ${(ref.bytes / Math.max(1, geoids.length)).toFixed(1)} bytes a block`);
}

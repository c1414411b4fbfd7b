import path from 'node:path';
import { z } from 'zod';
import {
  AddressDirectory,
  type CountyAddresses,
} from '../../shards/addresses/address-directory.ts';
import { encodeAddresses, type StreetRanges } from '../../shards/addresses/address-table.ts';
import { bufferBox } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import { CountyBoxes } from '../../shards/release/county-boxes.ts';
import { countyFipsSchema, objectRefSchema } from '../../shards/release/manifest.ts';
import { readEnvelope, SELF_CHECKED, sectionOf } from '../../shards/store/envelope.ts';
import type { CountyFips, Metres } from '../../shards/units.ts';
import { readAddressFeatures } from '../addresses/address-features.ts';
import { CountyStreets } from '../addresses/county-streets.ts';
import { readOsmAddresses } from '../addresses/osm-addresses.ts';
import type { SourceNeighbourhood } from '../addresses/osm-neighbourhoods.ts';
import type { SourceRange } from '../addresses/source-range.ts';
import { requireKind, sniffKind } from '../inputs/file-kind.ts';
import { putObject } from '../publish/put-object.ts';
import type { BlockTables } from './blocks.ts';
import { asJson, Partitions } from './partitions.ts';
import type { Preparation } from './preparation.ts';

/** The addresses of a release: their directory, and the object of each county. Both are final. */
export const preparedAddressesSchema = z.strictObject({
  directory: objectRefSchema,
  counties: z.record(countyFipsSchema, objectRefSchema),
});
type PreparedAddresses = z.infer<typeof preparedAddressesSchema>;

interface AddressPreparation extends Preparation {
  readonly paths: readonly string[];
  readonly blocks: BlockTables;
  /** The origin counties, ascending. */
  readonly counties: readonly CountyFips[];
  readonly scratch: string;
}

type SourceAddress = SourceRange | SourceNeighbourhood;

/** Number of ranges held in memory, about 400 bytes each. */
const HELD_RANGES = 500_000;
/** Farthest that the polygon of a block reaches beyond the box of its county's internal points. */
const BEYOND_POINTS: Metres = 20_000;

/**
 * Reads address files once for all units, and puts the addresses of each county into the store.
 * Holds the addresses of one OpenStreetMap file, and the blocks and addresses of one county, in
 * memory. Null without files.
 */
export async function writeAddresses(
  preparation: AddressPreparation,
): Promise<PreparedAddresses | null> {
  const { paths, blocks, counties, receipts, keyOf } = preparation;
  if (paths.length === 0) return null;
  const key = keyOf(['addresses', counties.map((county) => blocks.refsOf(county))]);
  return receipts.findOrMake('addresses', key, preparedAddressesSchema, () => readAll(preparation));
}

async function readAll(preparation: AddressPreparation): Promise<PreparedAddresses> {
  const { paths, blocks, counties, store, scratch, progress } = preparation;
  const stage = progress.start('addresses', paths.length, 'files');
  const boxes = new CountyBoxes(counties, (county) =>
    bufferBox(blocks.boxOf(county), BEYOND_POINTS),
  );
  const piles = new Partitions<CountyFips, SourceAddress>(
    path.join(scratch, 'addresses-'),
    HELD_RANGES,
    asJson(),
  );
  for (const [i, file] of paths.entries()) {
    for await (const range of await openAddresses(file, progress.note)) {
      const [[lon, lat]] = range.line;
      const near = boxes.meeting([{ minLon: lon, minLat: lat, maxLon: lon, maxLat: lat }]);
      for (const county of near) await piles.add(county, range);
    }
    stage.at(i + 1);
  }
  const objects: PreparedAddresses['counties'] = {};
  const listed: CountyAddresses[] = [];
  let [ranges, neighbourhoods] = [0, 0];
  for (const county of counties) {
    const streets = new CountyStreets(await blocks.blocks(county));
    for (const range of await piles.take(county)) streets.add(range);
    const found = streets.finish();
    for (const street of found) ranges += street.ranges.length;
    const stem = `addresses/${county}`;
    const parts = streets.neighbourhoods();
    neighbourhoods += parts.length;
    const bytes = encodeAddresses(stem, found, parts);
    objects[county] = await putObject(store, stem, 'tta', bytes);
    const envelope = readEnvelope(stem, bytes, bytes.length);
    const { offset: headBytes } = sectionOf(stem, envelope, SELF_CHECKED);
    listed.push({ county, headBytes, zips: zipsOf(found) });
  }
  stage.finish(
    `${counted(ranges, 'range')} of house numbers, ${counted(neighbourhoods, 'neighbourhood')}`,
  );
  const encoded = AddressDirectory.encode(listed);
  return {
    directory: await putObject(store, 'address-directory/all', 'tta', encoded),
    counties: objects,
  };
}

/** Opens a TIGER/Line `addrfeat` shapefile, or an OpenStreetMap file. */
async function openAddresses(
  file: string,
  note: (line: string) => void,
): Promise<Iterable<SourceAddress> | AsyncIterable<SourceAddress>> {
  if ((await sniffKind(file)) === 'pbf') return readOsmAddresses(file);
  await requireKind(file, 'zip');
  return readAddressFeatures(file, note);
}

function zipsOf(streets: readonly StreetRanges[]): string[] {
  const zips = new Set(streets.flatMap(({ ranges }) => ranges.map(({ zip }) => zip)));
  zips.delete('');
  return [...zips].sort();
}

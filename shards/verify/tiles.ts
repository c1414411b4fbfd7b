import { gunzipSync } from 'node:zlib';
import { messageOf } from '../error-facts.ts';
import { ShardError } from '../errors.ts';
import { PmtilesArchive } from '../pmtiles/archive.ts';
import { CheckedPages } from '../pmtiles/checked-pages.ts';
import { type Directory, decodeDirectory, type Extent } from '../pmtiles/header.ts';
import type { Release } from '../release/release.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import { type Finding, type Findings, findFaults } from './finding.ts';

const OTHER_TILES = new Set(['blocks', 'basemap', 'lines']);
/**
 * Limit on the decompressed size, more than any tile needs: a few bytes of gzip could expand to
 * gigabytes.
 */
const MAX_TILE_BYTES = 1 << 26;

/**
 * Checks a tile archive: its mode and type exist in the release, every directory and tile is
 * readable, counts match its header, and its sidecar of checksums matches, if that is sound.
 */
export function verifyTiles(
  release: Release,
  name: string,
  ref: ObjectRef,
  sums: ObjectRef | null,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const { modes } = release.manifest;
    const [mode, type] = name.split('-');
    const isKnown =
      OTHER_TILES.has(name) ||
      ((mode === 'pois' || modes.some((known) => known === mode)) &&
        release.taxonomy.has(Number(type)));
    if (!isKnown) findings.add('name', () => `"${name}" is no mode and type of this release`);
    const { store } = release;
    await walk(sums === null ? store : await CheckedPages.open(store, ref, sums), ref, findings);
  });
}

async function walk(source: RangeSource, ref: ObjectRef, findings: Findings): Promise<void> {
  const { header } = await PmtilesArchive.open(source, ref);
  const { root, leaves, tiles } = header;
  const counted = { addressedTiles: 0, tileEntries: 0, tileContents: 0 };
  // Contents are in tile order, so content beyond all previous content is new.
  let end = 0;
  const visit = async (directory: Directory): Promise<void> => {
    for (let i = 0; i < directory.ids.length; i++) {
      const entry = { offset: directory.offsets[i], bytes: directory.lengths[i] };
      if (directory.runs[i] === 0) {
        await visit(await readDirectory(source, ref, leaves, entry));
        continue;
      }
      counted.tileEntries++;
      counted.addressedTiles += directory.runs[i];
      if (entry.offset < end) continue;
      counted.tileContents++;
      end = entry.offset + entry.bytes;
      const id = directory.ids[i];
      const packed = await readWithin(source, ref, tiles, entry, `tile ${id}`);
      try {
        gunzipSync(packed, { maxOutputLength: MAX_TILE_BYTES });
      } catch (error) {
        findings.add('tiles', () => `tile ${id}: ${messageOf(error)}`);
      }
    }
  };
  await visit(await readDirectory(source, ref, root, { offset: 0, bytes: root.bytes }));
  for (const [fact, count] of Object.entries(counted)) {
    const said = header[fact as keyof typeof counted];
    if (said !== count) findings.add(fact, () => `${count}; its header says ${said}`);
  }
}

async function readDirectory(source: RangeSource, ref: ObjectRef, part: Extent, entry: Extent) {
  const where = `directory at ${entry.offset}`;
  const bytes = await readWithin(source, ref, part, entry, where);
  try {
    return decodeDirectory(bytes);
  } catch (error) {
    throw new ShardError(ref.name, where, messageOf(error));
  }
}

async function readWithin(
  source: RangeSource,
  ref: ObjectRef,
  part: Extent,
  { offset, bytes }: Extent,
  what: string,
): Promise<Uint8Array> {
  if (offset + bytes > part.bytes) throw new ShardError(ref.name, what, 'lies beyond its section');
  return source.readRange(ref, part.offset + offset, bytes);
}

import { createHash } from 'node:crypto';
import { crc32c } from './crc32c.ts';
import { readEnvelope } from './envelope.ts';
import { ShardError, StoreError } from './errors.ts';
import { geoidFromNumber } from './geoid.ts';
import { BlockIndex } from './index/block-index.ts';
import type { CountyManifest } from './manifest.ts';
import { decodeNearestRow, nearestRange, readNearestShape } from './nearest/nearest.ts';
import type { Release } from './release.ts';
import type { ObjectRef } from './store/store.ts';
import type { CountyFips } from './units.ts';

/** Something a release says of itself that its bytes do not bear out. */
export interface Fault {
  readonly object: string;
  readonly problem: string;
}

/**
 * Reads every object of a release again: lengths and hashes against the manifest, every checksum
 * and every row; and what must hold between them: blocks belong to their county, the three objects
 * count the same blocks, and the nearest time of a type is the least of its POI rows.
 */
export async function* verifyRelease(
  release: Release,
  onObject: (object: string) => void,
): AsyncGenerator<Fault> {
  for (const [fips, county] of Object.entries(release.manifest.counties)) {
    const whole = new Map<string, Uint8Array>();
    for (const ref of Object.values(county.objects)) {
      onObject(ref.name);
      try {
        whole.set(ref.name, await readChecked(release, ref));
      } catch (error) {
        yield faultOf(ref.name, error);
      }
    }
    if (whole.size < Object.keys(county.objects).length) continue;
    try {
      yield* verifyCounty(release, fips, county, whole);
    } catch (error) {
      yield faultOf(county.objects.index.name, error);
    }
  }
}

async function readChecked(release: Release, ref: ObjectRef): Promise<Uint8Array> {
  const bytes = await release.store.readRange(ref, 0, ref.bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== ref.sha256) throw new ShardError(ref.name, 'hash', `is ${sha256}`);
  if (!ref.name.endsWith('.tta')) return bytes;
  for (const section of readEnvelope(ref.name, bytes, bytes.length).sections) {
    if (crc32c(bytes, 0, section.offset, section.bytes) !== section.crc) {
      throw new ShardError(ref.name, section.tag, 'corrupted: checksum does not match');
    }
  }
  return bytes;
}

async function* verifyCounty(
  release: Release,
  fips: CountyFips,
  county: CountyManifest,
  whole: ReadonlyMap<string, Uint8Array>,
): AsyncGenerator<Fault> {
  const { index: indexRef, nearest: nearestRef, pois: poisRef } = county.objects;
  const index = BlockIndex.decode(indexRef.name, whole.get(indexRef.name)!);
  if (index.count !== county.blocks) {
    yield { object: indexRef.name, problem: `${index.count} blocks; manifest: ${county.blocks}` };
  }
  for (const geoid of index.geoids) {
    if (!geoidFromNumber(geoid).startsWith(fips)) {
      yield { object: indexRef.name, problem: `block ${geoidFromNumber(geoid)} is elsewhere` };
    }
  }
  const nearest = whole.get(nearestRef.name)!;
  const shape = readNearestShape(nearestRef.name, nearest);
  if (shape.rows !== index.count || shape.columns !== release.columns) {
    yield {
      object: nearestRef.name,
      problem: `${shape.rows} × ${shape.columns} cells for ${index.count} blocks × ${release.columns}`,
    };
    return;
  }
  const pois = await release.pois(county);
  const { matrix, table } = pois;
  if (
    matrix.origins.length !== index.count ||
    matrix.origins.some((id, i) => id !== index.geoids[i])
  ) {
    yield { object: poisRef.name, problem: 'its origins are not the blocks of the index' };
    return;
  }
  const poiBytes = whole.get(poisRef.name)!;
  const { leafIds } = release.taxonomy;
  const least = new Uint16Array(release.columns);
  for (let block = 0; block < index.count; block++) {
    const row = matrix.rowRange(block);
    const modes = matrix.decode(block, poiBytes.subarray(row.offset, row.offset + row.length));
    least.fill(0);
    modes.forEach(({ targets, times }, mode) => {
      targets.forEach((target, i) => {
        for (const type of table.types(target)) {
          const column = mode * leafIds.length + leafIds.indexOf(type);
          if (least[column] === 0 || times[i] < least[column]) least[column] = times[i];
        }
      });
    });
    const { offset, length } = nearestRange(block, shape.columns);
    const bytes = nearest.subarray(offset, offset + length);
    const said = decodeNearestRow(nearestRef.name, block, bytes, shape.columns);
    const wrong = said.findIndex((time, column) => time !== least[column]);
    if (wrong !== -1) {
      const geoid = geoidFromNumber(index.geoids[block]);
      const mode = release.manifest.modes[Math.floor(wrong / leafIds.length)];
      const type = leafIds[wrong % leafIds.length];
      const problem = `block ${geoid}, ${mode}, type ${type}: ${said[wrong]} tenths; its POI rows say ${least[wrong]}`;
      yield { object: nearestRef.name, problem };
    }
  }
}

function faultOf(object: string, error: unknown): Fault {
  if (error instanceof ShardError || error instanceof StoreError) {
    return { object, problem: error.message };
  }
  throw error;
}

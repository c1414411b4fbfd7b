import assert from 'node:assert/strict';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { PMTiles } from 'pmtiles';
import { Random } from '../../infra/demo/seeded-random.ts';
import type { ServerProcess } from '../support/server-process.ts';
import type { Built } from './built.ts';
import { type Contestant, contest } from './contest.ts';
import { openAccounts, startService } from './service.ts';
import { startTileserver } from './tileserver.ts';
import { ask } from './wrk.ts';

const ACCOUNTS = 64;
const SEED = 20_260_102;
const MAX_TILES = 5_000;
const COMPARED = 40;
/** The encodings every browser accepts. */
const HEADERS = { 'Accept-Encoding': 'gzip' };

/**
 * Measures tiles of the service, for members, against tileserver-gl-light on the same archive, with
 * the same tiles in the same seeded order. The tileserver checks no key.
 */
export async function benchAgainstTileserver({ store, folder }: Built): Promise<void> {
  const { mode, destTypeId, file } = await largestArchive(store);
  const [ledger, data] = [path.join(folder, 'tiles-ledger'), path.join(folder, 'tileserver')];
  await mkdir(data);
  const keys = await openAccounts(ledger, ACCOUNTS, { member: true });
  const tiles = new Random(SEED).shuffle(await tilesOf(file)).slice(0, MAX_TILES);
  const running: ServerProcess[] = [];
  try {
    const ours = await startService(store, ledger);
    running.push(ours);
    const tileserver = await startTileserver(file, data);
    running.push(tileserver);
    const contestants = {
      ours: {
        address: ours.address,
        headers: HEADERS,
        targets: tiles.map((tile, i) => ({
          path: `/v1/isochrone/tiles/${mode}/${destTypeId}/${tile}.mvt`,
          key: keys[i % keys.length],
        })),
      },
      tileserver: {
        address: tileserver.address,
        headers: HEADERS,
        targets: tiles.map((tile) => ({ path: `/data/bands/${tile}.pbf` })),
      },
    };
    await compareTiles(contestants.ours, contestants.tileserver);
    await contest('against_tileserver.tiles', contestants, [['ours', 'tileserver']]);
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

/** The largest of the band archives in a store's folder. */
async function largestArchive(
  store: string,
): Promise<{ mode: string; destTypeId: string; file: string }> {
  const archives = [];
  for (const name of (await readdir(path.join(store, 'tiles'))).sort()) {
    const [, mode, destTypeId] = /^([a-z]+)-(\d+)-.*\.pmtiles$/.exec(name) ?? [];
    if (!mode) continue;
    const file = path.join(store, 'tiles', name);
    archives.push({ mode, destTypeId, file, bytes: (await stat(file)).size });
  }
  assert.ok(archives.length > 0, `${store}: holds no archive of bands`);
  return archives.reduce((a, b) => (b.bytes > a.bytes ? b : a));
}

/** Addresses of an archive's tiles, as `z/x/y`, from an independent reader. */
async function tilesOf(file: string): Promise<string[]> {
  const handle = await open(file);
  const archive = new PMTiles({
    getKey: () => file,
    async getBytes(offset, length) {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await handle.read(bytes, 0, length, offset);
      return { data: Uint8Array.from(bytes.subarray(0, bytesRead)).buffer };
    },
  });
  try {
    const { minZoom, maxZoom, minLon, minLat, maxLon, maxLat } = await archive.getHeader();
    const tiles: string[] = [];
    for (let z = minZoom; z <= maxZoom; z++) {
      const [west, north] = tileAt(minLon, maxLat, z);
      const [east, south] = tileAt(maxLon, minLat, z);
      for (let x = west; x <= east; x++) {
        for (let y = north; y <= south; y++) {
          if (await archive.getZxy(z, x, y)) tiles.push(`${z}/${x}/${y}`);
        }
      }
    }
    return tiles;
  } finally {
    await handle.close();
  }
}

/** The tile of a position in the Web Mercator grid. */
function tileAt(lon: number, lat: number, z: number): [x: number, y: number] {
  const side = 2 ** z;
  const north = Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI;
  return [Math.floor(((lon + 180) / 360) * side), Math.floor(((1 - north) / 2) * side)];
}

async function compareTiles(ours: Contestant, theirs: Contestant): Promise<void> {
  assert.ok(ours.targets.length > 0, 'the archive has no tiles');
  for (let i = 0; i < Math.min(COMPARED, ours.targets.length); i++) {
    const [expected, actual] = [await tileOf(theirs, i), await tileOf(ours, i)];
    assert.ok(actual.equals(expected), `${ours.targets[i].path}: they differ`);
  }
}

async function tileOf({ address, targets }: Contestant, i: number): Promise<Buffer> {
  const response = await ask(address, targets[i]);
  assert.equal(response.status, 200, targets[i].path);
  return Buffer.from(await response.arrayBuffer());
}

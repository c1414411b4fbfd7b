import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { putObject } from '../../builder/publish/put-object.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import type { ModeRow } from '../../shards/matrix/row-codec.ts';
import { encodeLatest } from '../../shards/release/latest.ts';
import type { CountyManifest, Manifest } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { bufferBody } from '../../shards/store/put-body.ts';
import { Spool } from '../../shards/store/spool.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { LATEST } from '../../shards/store/store.ts';
import { faultsIn } from './faults.ts';

/** Folders of a store that only builds read. */
const OF_BUILDS = ['plans', 'prepared', 'receipts', 'regions'];

/** A copy of a store whose release can be tampered with, with or without updating its hashes. */
export class TamperedRelease {
  readonly folder: string;
  /** Manifest to be modified freely, and then published. */
  readonly manifest: Manifest;
  readonly #store: FolderStore;

  private constructor(folder: string, manifest: Manifest) {
    this.folder = folder;
    this.manifest = manifest;
    this.#store = new FolderStore(folder);
  }

  /**
   * Copies a store, with or without tiles. Without tiles, the copy and a check of it take half as
   * long.
   */
  static async copyOf(store: string, { tiles }: { tiles: boolean }): Promise<TamperedRelease> {
    const folder = await mkdtemp(path.join(tmpdir(), 'tta-tampered-'));
    const left = tiles ? OF_BUILDS : [...OF_BUILDS, 'tiles'];
    const isWanted = (file: string) => !left.includes(path.relative(store, file));
    await cp(store, folder, { recursive: true, filter: isWanted });
    const latest = JSON.parse(await readFile(path.join(folder, LATEST), 'utf8'));
    const manifest = JSON.parse(await readFile(path.join(folder, latest.manifest), 'utf8'));
    const release = new TamperedRelease(folder, manifest);
    if (!tiles) {
      manifest.tiles = {};
      for (const county of Object.values<CountyManifest>(manifest.counties)) {
        delete county.block_bands;
        delete county.access_classes;
      }
      await rm(path.join(folder, latest.manifest));
      await release.publish();
    }
    return release;
  }

  async remove(): Promise<void> {
    await this.#store.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  path(ref: ObjectRef): string {
    return path.join(this.folder, ref.name);
  }

  async bytesOf(ref: ObjectRef): Promise<Uint8Array> {
    return new Uint8Array(await readFile(this.path(ref)));
  }

  /** Replaces an object with other bytes, under a name and hash of their own. */
  async replace(ref: ObjectRef, bytes: Uint8Array): Promise<void> {
    const extension = path.extname(ref.name).slice(1);
    Object.assign(ref, await putObject(this.#store, stemOf(ref), extension, bytes));
  }

  /** Re-encodes a matrix, each row as returned by `edit`. */
  async editRows(
    ref: ObjectRef,
    edit: (modes: ModeRow[], ordinal: number, matrix: Matrix) => ModeRow[],
  ): Promise<void> {
    const matrix = await Matrix.open(this.#store, ref);
    const spool = new Spool(path.join(this.folder, 'never-written'));
    const writer = new MatrixWriter(stemOf(ref), matrix, spool);
    for await (const { ordinal, modes } of matrix.rows()) {
      writer.row(edit(modes, ordinal, matrix));
    }
    await this.replace(ref, await bufferBody(writer.finish()));
    spool.close();
  }

  /** Makes the modified manifest the current one, with a correct hash. */
  async publish(): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(this.manifest));
    const ref = await putObject(this.#store, `manifests/${this.manifest.release}`, 'json', bytes);
    const latest = {
      release: this.manifest.release,
      manifest: ref.name,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      published_at: '2026-01-01T00:00:00.000Z',
    };
    await writeFile(path.join(this.folder, LATEST), encodeLatest(latest));
  }

  /** The file of the current manifest. */
  async currentManifest(): Promise<string> {
    const latest = JSON.parse(await readFile(path.join(this.folder, LATEST), 'utf8'));
    return path.join(this.folder, latest.manifest);
  }

  /** Errors found in the release, as `object: problem`. */
  async faults(): Promise<string[]> {
    const store = new FolderStore(this.folder);
    const found = await faultsIn(store);
    await store.close();
    return found;
  }
}

/** The name of an object up to its hash. */
export function stemOf({ name }: ObjectRef): string {
  return name.slice(0, name.lastIndexOf('-'));
}

/** A row with another time at index `at`. */
export function withTime({ targets, times }: ModeRow, at: number, time: number): ModeRow {
  const changed = times.slice();
  changed[at] = time;
  return { targets, times: changed };
}

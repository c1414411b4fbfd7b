import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { ObjectRef } from '../../shards/store/store.ts';

/** A folder store for objects of any bytes, sound or not, under made-up names. */
export class UncheckedObjects extends FolderStore {
  readonly #folder: string;
  #count = 0;

  private constructor(folder: string) {
    super(folder);
    this.#folder = folder;
  }

  static open(): UncheckedObjects {
    return new UncheckedObjects(mkdtempSync(path.join(tmpdir(), 'tta-objects-')));
  }

  add(bytes: Uint8Array): ObjectRef {
    const name = `object-${this.#count++}`;
    writeFileSync(path.join(this.#folder, name), bytes);
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  }

  override async close(): Promise<void> {
    await super.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

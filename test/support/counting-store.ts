import { FolderStore } from '../../shards/store/folder-store.ts';
import type { ObjectRef } from '../../shards/store/store.ts';

/** A folder store that records the object of each range read. */
export class CountingStore extends FolderStore {
  reads: string[] = [];

  override readRange(ref: ObjectRef, offset: number, length: number): Promise<Uint8Array> {
    this.reads.push(ref.name);
    return super.readRange(ref, offset, length);
  }
}

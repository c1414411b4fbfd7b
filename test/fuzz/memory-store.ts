import { createHash } from 'node:crypto';
import { StoreError } from '../../shards/errors.ts';
import { bufferBody, type PutBody } from '../../shards/store/put-body.ts';
import type {
  Lock,
  ObjectRef,
  ObjectStat,
  StoredObject,
  WritableStore,
} from '../../shards/store/store.ts';

/** A store in memory. A copy begins with the same objects, and shares no later ones. */
export class MemoryStore implements WritableStore {
  readonly location = 'memory';
  readonly objects: Map<string, Uint8Array>;

  constructor(objects: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.objects = new Map(objects);
  }

  copy(): MemoryStore {
    return new MemoryStore(this.objects);
  }

  async readWhole(name: string): Promise<{ bytes: Uint8Array; identity: string }> {
    const bytes = this.objects.get(name);
    if (!bytes) throw new StoreError('missing', name, 'does not exist');
    return { bytes, identity: createHash('sha256').update(bytes).digest('hex') };
  }

  async readRange(ref: ObjectRef, offset: number, length: number): Promise<Uint8Array> {
    const { bytes } = await this.readWhole(ref.name);
    if (bytes.length !== ref.bytes) throw new StoreError('changed', ref.name, 'has another size');
    return bytes.subarray(offset, offset + length);
  }

  async stat(name: string): Promise<ObjectStat | null> {
    const bytes = this.objects.get(name);
    return bytes ? { bytes: bytes.length, sha256: null } : null;
  }

  async putContent(name: string, content: PutBody | Uint8Array): Promise<'written' | 'present'> {
    const isPresent = this.objects.has(name);
    const bytes = content instanceof Uint8Array ? content : await bufferBody(content);
    this.objects.set(name, Uint8Array.from(bytes));
    return isPresent ? 'present' : 'written';
  }

  async putConditional(name: string, bytes: Uint8Array): Promise<string> {
    await this.putContent(name, bytes);
    return (await this.readWhole(name)).identity;
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const names = [...this.objects.keys()].filter((name) => name.startsWith(prefix)).sort();
    return names.map((name) => ({ name, bytes: this.objects.get(name)!.length, modifiedMs: 0 }));
  }

  async topNames(): Promise<string[]> {
    return [...new Set([...this.objects.keys()].map((name) => name.split('/')[0]))];
  }

  async remove(name: string): Promise<void> {
    this.objects.delete(name);
  }

  async lock(): Promise<Lock> {
    return { taken: true, release: async () => {} };
  }

  async leftovers(): Promise<StoredObject[]> {
    return [];
  }

  async presignedUrl(): Promise<null> {
    return null;
  }

  holdsFile(): boolean {
    return false;
  }

  async close(): Promise<void> {}
}

import { StoreError } from '../errors.ts';
import { FolderReader } from './folder-reader.ts';
import { FolderStore } from './folder-store.ts';
import type { HttpReaderOptions } from './http/http-reader.ts';
import type { Store, WritableStore } from './store.ts';
import { kindOf, type StoreKind, shownLocation, storeFault } from './store-location.ts';

/** Opens stores of one kind. The code of network stores is loaded on demand. */
interface Opener {
  read(location: string, options?: HttpReaderOptions): Promise<Store>;
  /** Null if the store is read-only. */
  readonly write: ((location: string) => Promise<WritableStore>) | null;
}

const OPENERS: Readonly<Record<StoreKind, Opener>> = {
  folder: {
    read: async (location) => new FolderReader(location),
    write: async (location) => new FolderStore(location),
  },
  s3: {
    async read(location, options) {
      const { S3Reader } = await import('./s3/s3-reader.ts');
      return new S3Reader(location, options);
    },
    async write(location) {
      const { S3Store } = await import('./s3/s3-store.ts');
      return new S3Store(location);
    },
  },
  http: {
    async read(location, options) {
      const { HttpsReader } = await import('./http/https-reader.ts');
      return new HttpsReader(location, options);
    },
    write: null,
  },
};

/**
 * Opens a store for reading, by the location the user gave. Rejects with a `StoreError` if
 * `storeFault` finds an error. `options` apply to stores behind HTTP.
 */
export async function openStore(location: string, options?: HttpReaderOptions): Promise<Store> {
  return openerOf(location).read(location, options);
}

/** Opens a store for publishing. Rejects with a `StoreError` for a read-only store too. */
export async function openWritableStore(location: string): Promise<WritableStore> {
  const { write } = openerOf(location);
  if (write !== null) return write(location);
  const problem = 'this store is read-only; give the folder or the bucket behind it';
  throw new StoreError('unavailable', location, problem);
}

function openerOf(location: string): Opener {
  const fault = storeFault(location);
  if (fault !== null) throw new StoreError('unavailable', shownLocation(location), fault);
  return OPENERS[kindOf(location)];
}

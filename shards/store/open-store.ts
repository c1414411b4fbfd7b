import { StoreError } from '../errors.ts';
import { FolderReader } from './folder-reader.ts';
import { FolderStore } from './folder-store.ts';
import type { Store, WritableStore } from './store.ts';

/** Opens a store to read, by what a person calls it. A `StoreError` where `storeFault` finds one. */
export function openStore(location: string): Store {
  requireStore(location);
  return new FolderReader(location);
}

/** The same, to publish into. */
export function openWritableStore(location: string): WritableStore {
  requireStore(location);
  return new FolderStore(location);
}

/** Why this cannot be the name of a store; null if it can. */
export function storeFault(location: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(location)?.[1];
  return scheme === undefined ? null : `a store is a folder; "${scheme}" is not supported`;
}

function requireStore(location: string): void {
  const fault = storeFault(location);
  if (fault !== null) throw new StoreError('unavailable', location, fault);
}

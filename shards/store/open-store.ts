import { FolderStore } from './folder-store.ts';
import type { WritableStore } from './store.ts';

/** Opens a store by what a person calls it: today a folder. Throws a `TypeError` for the rest. */
export function openStore(location: string): WritableStore {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(location)?.[1];
  if (scheme) throw new TypeError(`${location}: a store is a folder; "${scheme}" is not supported`);
  return new FolderStore(location);
}

import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { releaseIn } from '../support/release-in.ts';
import type { BenchInputs } from './inputs.ts';
import { type Place, readPlaces } from './places.ts';

/** A release that was built to be measured. */
export interface Built {
  /** The folder of its store. */
  readonly store: string;
  readonly release: Release;
  /** The name of its inputs, and the census places in them. */
  readonly place: string;
  readonly places: readonly Place[];
  /** A folder for any other files. */
  readonly folder: string;
}

/** Opens a built release for the duration of its measurement. */
export async function withBuilt(
  store: string,
  inputs: BenchInputs,
  folder: string,
  measure: (built: Built) => Promise<void>,
): Promise<void> {
  const opened = new FolderStore(store);
  const release = await releaseIn(opened);
  const places = await readPlaces(inputs.places);
  await measure({ store, release, place: inputs.place, places, folder });
  await opened.close();
}

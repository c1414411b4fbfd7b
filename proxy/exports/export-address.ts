import { MANIFESTS } from '../../shards/release/manifests.ts';
import { EXPORTS } from '../../shards/release/served-exports.ts';

/** The route of links to exported tables. */
export const EXPORT_ROUTE = '/exports/:release/:object';

/** An exported table as its link names it: by manifest and object, without their folders. */
export interface ExportAddress {
  readonly release: string;
  readonly object: string;
}

/** The path of a link. */
export function exportPath({ release, object }: ExportAddress): string {
  return `/exports/${release}/${object}`;
}

const EXTENSION = '.json';

/** The address of an object that the exports of a manifest list. */
export function addressOf(manifest: string, object: string): ExportAddress {
  return {
    release: manifest.slice(MANIFESTS.length, -EXTENSION.length),
    object: object.slice(EXPORTS.length),
  };
}

/** The names of the manifest and the object in the store. */
export function namesOf({ release, object }: ExportAddress) {
  return { manifest: `${MANIFESTS}${release}${EXTENSION}`, object: `${EXPORTS}${object}` };
}

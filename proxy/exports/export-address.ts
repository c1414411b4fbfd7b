import { MANIFESTS } from '../../shards/release/manifests.ts';
import { EXPORTS } from '../../shards/release/served-exports.ts';

/** The route of links to exported tables. */
export const EXPORT_ROUTE = '/exports/:manifestStem/:file';

/** An exported table as its link names it. */
export interface ExportAddress {
  /** The name of the manifest without folder and extension. */
  readonly manifestStem: string;
  /** The name of the object without its folder. */
  readonly file: string;
}

/** Returns the path of the link to an exported table. */
export function exportPath({ manifestStem, file }: ExportAddress): string {
  return `/exports/${manifestStem}/${file}`;
}

const EXTENSION = '.json';

/** The address of an object that the exports of a manifest list. */
export function addressOf(manifest: string, object: string): ExportAddress {
  return {
    manifestStem: manifest.slice(MANIFESTS.length, -EXTENSION.length),
    file: object.slice(EXPORTS.length),
  };
}

/** Returns the names of the manifest and the object in the store. */
export function namesOf({ manifestStem, file }: ExportAddress) {
  return { manifest: `${MANIFESTS}${manifestStem}${EXTENSION}`, object: `${EXPORTS}${file}` };
}

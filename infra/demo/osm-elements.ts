import type { BoundingBox, Degrees } from '../../shards/units.ts';

/**
 * The elements of OpenStreetMap, as written to a file. Ids are positive and ascend within a file.
 */
export type Tags = Readonly<Record<string, string>>;

export interface OsmNode {
  readonly id: number;
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly tags: Tags;
}

export interface OsmWay {
  readonly id: number;
  /** Node ids; an area repeats the first as the last. */
  readonly refs: readonly number[];
  readonly tags: Tags;
}

export interface OsmRelation {
  readonly id: number;
  readonly members: readonly { readonly way: number; readonly role: string }[];
  readonly tags: Tags;
}

/** The elements of a file, each kind by ascending id, generated as they are read. */
export interface OsmContent {
  readonly box: BoundingBox;
  nodes(): Iterable<OsmNode>;
  ways(): Iterable<OsmWay>;
  relations(): Iterable<OsmRelation>;
}

export const NO_TAGS: Tags = {};

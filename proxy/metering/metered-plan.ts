import type { ObjectRef } from '../../shards/store/store.ts';

/** What a metered request means on a release. */
export interface MeteredPlan {
  /** The request in one spelling: parameters sorted, defaults filled in. */
  readonly canonical: string;
  /** The objects whose contents decide the answer. */
  readonly dependsOn: readonly ObjectRef[];
  /** The answer can never become another: it may be kept without asking again. */
  readonly isPinned?: boolean;
  /** The body is one GeoJSON object, which may be asked for as such. */
  readonly isGeoJson?: boolean;
}

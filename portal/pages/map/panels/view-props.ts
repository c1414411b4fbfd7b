import type { LoadedBasket } from '../blocks/use-basket.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Scheme } from '../drawing/paint.ts';
import type { Comparison } from '../measures/comparison.ts';
import type { Catchment } from '../paid/catchment-request.ts';
import type { SitesQuery } from '../paid/sites-request.ts';
import type { PaidRequests } from '../paid/use-paid-requests.ts';
import type { Choice } from '../state/choice.ts';
import type { MapState } from '../state/map-state.ts';
import type { ChangeState } from '../state/use-map-state.ts';

/** Properties of the panel of a view. */
export interface ViewProps {
  readonly catalogue: Catalogue;
  readonly state: MapState;
  readonly choice: Choice;
  readonly change: ChangeState;
  readonly requests: PaidRequests;
  readonly scheme: Scheme;
  /** Name of the POI at the origin, if there is one. */
  readonly poiName: string | null;
  readonly basket: LoadedBasket;
  readonly catchment: Catchment | null;
  /** Blocks that A and B reach, once both are loaded. */
  readonly comparison: Comparison | null;
  readonly sitesQuery: SitesQuery;
  readonly onSitesQuery: (part: Partial<SitesQuery>) => void;
  /** Whether a click on the map sets a candidate. */
  readonly setsCandidates: boolean;
  readonly onSetsCandidates: (setsCandidates: boolean) => void;
}

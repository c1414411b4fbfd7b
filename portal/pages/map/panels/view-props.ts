import type { Catalogue } from '../catalogue.ts';
import type { Scheme } from '../drawing/paint.ts';
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
}

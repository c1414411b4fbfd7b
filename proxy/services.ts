import type { Ledger } from '../portal/accounts/ledger.ts';
import type { RateWindow } from '../portal/accounts/rate-window.ts';
import type { ReleaseSource } from '../shards/release-source.ts';
import type { ProxyConfig } from './config.ts';
import type { CursorSealer } from './cursors/cursor.ts';
import type { CatalogueSender } from './http/catalogue-text.ts';
import type { AnswerCache } from './metering/answer-cache.ts';
import type { PlanCache } from './metering/plan-cache.ts';

/** What endpoints are served with. */
export interface Services {
  readonly releases: ReleaseSource;
  readonly ledger: Ledger;
  readonly config: ProxyConfig & { readonly problemBase: string };
  readonly plans: PlanCache;
  readonly answers: AnswerCache;
  readonly cursors: CursorSealer;
  readonly catalogue: CatalogueSender;
  /** Requests to free routes, by address. */
  readonly freeRates: RateWindow;
}

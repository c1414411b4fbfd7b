import type { Ledger } from '../portal/accounts/ledger.ts';
import type { ReleaseSource } from '../shards/release-source.ts';
import type { ProxyConfig } from './config.ts';
import type { CursorSealer } from './cursors/cursor.ts';
import type { CatalogueSender } from './http/catalogue-text.ts';
import type { Outbox } from './http/outbox.ts';
import type { AnswerCache } from './metering/answer-cache.ts';
import type { PlanCache } from './metering/plan-cache.ts';
import type { Turnstile } from './metering/turnstile.ts';

/** What endpoints are served with. */
export interface Services {
  readonly releases: ReleaseSource;
  readonly ledger: Ledger;
  readonly config: ProxyConfig & { readonly problemBase: string };
  readonly plans: PlanCache;
  readonly answers: AnswerCache;
  readonly cursors: CursorSealer;
  readonly catalogue: CatalogueSender;
  /** Where large answers wait for their readers. */
  readonly outbox: Outbox;
  /** Where requests wait whose answers are large to make, by account. */
  readonly turnstile: Turnstile;
}

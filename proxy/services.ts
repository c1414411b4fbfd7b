import type { ServingLedger } from '../portal/accounts/serving-ledger.ts';
import type { CatalogueSender } from '../portal/http/catalogue-text.ts';
import type { Ending } from '../portal/http/ending.ts';
import type { Askers } from '../shards/fair-queue.ts';
import type { ReleaseSource } from '../shards/release-source.ts';
import type { Turnstile } from '../shards/turnstile.ts';
import type { ProxyConfig } from './config.ts';
import type { CursorSealer } from './cursors/cursor.ts';
import type { RowFormat } from './formats/row-format.ts';
import type { Outbox } from './http/outbox.ts';
import type { AnswerCache } from './metering/answer-cache.ts';
import type { PlanCache } from './metering/plan-cache.ts';

/** The processes that share the service's port. */
export interface ProcessCount {
  readonly serving: number;
  readonly wanted: number;
  /** Whether all have served by now: one that died since is started again. */
  readonly haveStarted: boolean;
}

/** What endpoints are served with. */
export interface ProxyServices {
  readonly releases: ReleaseSource;
  readonly ledger: ServingLedger;
  readonly config: ProxyConfig & { readonly problemBase: string };
  readonly processes: () => ProcessCount;
  readonly plans: PlanCache;
  readonly answers: AnswerCache;
  /** A `LedgerUnavailable` while the ledger, which keeps their secret, has not been there yet. */
  readonly cursors: CursorSealer;
  readonly catalogue: CatalogueSender;
  /** Where large answers wait for their readers. */
  readonly outbox: Outbox;
  /** Where requests wait whose answers are large to make, by account. */
  readonly turnstile: Turnstile;
  /** Set when the service has been told to end: it is not ready from then on. */
  readonly ending: Ending;
}

/** What an answer is made with. */
export interface Making extends Pick<ProxyServices, 'config' | 'cursors'> {
  /** Who wants it: the work takes their turns. */
  readonly askers: Askers;
  /** How its rows are written. */
  readonly format: RowFormat;
}

import type { FairSemaphore } from '../shards/concurrency/fair-semaphore.ts';
import type { ReleaseSource } from '../shards/release/release-source.ts';
import type { ProxyConfig } from './config.ts';
import type { ExportLists } from './exports.ts';
import type { RowFormat } from './formats/rows.ts';
import type { StaticResponseSender } from './http/caching.ts';
import type { CursorSealer } from './http/cursor.ts';
import type { Shutdown } from './http/graceful-shutdown.ts';
import type { ResponseWriter } from './http/response-writer.ts';
import type { LinkSigner } from './http/signed-links.ts';
import type { ParameterNames } from './http/validation.ts';
import type { RateWindow } from './ledger/rate-window.ts';
import type { ServingLedger } from './ledger/serving-ledger.ts';
import type { Authority } from './metering/authorize.ts';
import type { OpenCharges } from './metering/charges.ts';
import type { QueryCache } from './metering/query-cache.ts';
import type { ResponseCache } from './metering/response-cache.ts';

export interface ProxyServices extends Authority {
  readonly releases: Pick<ReleaseSource, 'current' | 'standing' | 'find' | 'list'>;
  readonly ledger: ServingLedger;
  readonly charges: OpenCharges;
  readonly config: ProxyConfig & { readonly problemBase: string };
  readonly queries: QueryCache;
  readonly responses: ResponseCache;
  /** Throws `LedgerUnavailable` until the ledger, which stores the secret, has been reachable. */
  readonly cursors: CursorSealer;
  readonly catalogue: StaticResponseSender;
  readonly exports: ExportLists;
  /** Signs links to exported tables; throws like `cursors`. */
  readonly links: LinkSigner;
  /** Counts requests per address to routes that need no key. */
  readonly addressRates: RateWindow;
  /** Holds large responses until their readers have received them. */
  readonly responseWriter: ResponseWriter;
  /** Queues requests with large responses, by account. */
  readonly postSemaphore: FairSemaphore;
  /** State of a shutdown; once one has begun, the service is not ready. */
  readonly shutdown: Shutdown;
  readonly parameterNames: ParameterNames;
}

export interface QueryContext extends Pick<ProxyServices, 'config' | 'cursors'> {
  /** The clients on whose behalf the query runs. */
  readonly format: RowFormat;
}

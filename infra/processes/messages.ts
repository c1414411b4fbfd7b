import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Taken } from '../../portal/accounts/rate-window.ts';
import type { ProcessCount } from '../../proxy/services.ts';
import type { Latest } from '../../shards/manifest.ts';
import type { ServeSettings } from '../settings/api-server.ts';

/** What the parent says to a process. */
export type Order =
  /** Open this release, and listen: the first order, when it has begun. */
  | { readonly order: 'serve'; readonly settings: ServeSettings; readonly latest: Latest }
  /** Open this release, and say whether that went well. */
  | { readonly order: 'prepare'; readonly latest: Latest }
  /** Put the release that was opened in force, and say whether that is so. */
  | { readonly order: 'swap'; readonly sha256: string }
  /** How often in a row the parent has looked for a newer release and not got it served. */
  | { readonly order: 'looked'; readonly failuresInARow: number }
  /** Answers a `take`, in the order of those. */
  | { readonly order: 'taken'; readonly of: RatesOf; readonly taken: readonly Taken[] }
  | { readonly order: 'count'; readonly processes: ProcessCount }
  /** Say what has been counted. */
  | { readonly order: 'metrics' }
  /** End after the requests that have begun. */
  | { readonly order: 'close' };

/** What a process says to the parent. */
export type Report =
  /** It listens to orders: what was said before is lost. */
  | { readonly report: 'begun' }
  | { readonly report: 'serving'; readonly sha256: string }
  /** It could not begin, in words for a person; it ends. */
  | { readonly report: 'failed'; readonly fault: string }
  /** `fault`: the release cannot be opened. */
  | { readonly report: 'prepared'; readonly sha256: string; readonly fault: string | null }
  /** Answers a `swap`; `fault`: it serves what it served. */
  | { readonly report: 'swapped'; readonly sha256: string; readonly fault: string | null }
  | { readonly report: 'metrics'; readonly metrics: Metrics }
  /** Counts a request of each of these. */
  | { readonly report: 'take'; readonly of: RatesOf; readonly subjects: readonly string[] };

/** What a process has counted. */
export type Metrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Whom rates are counted by. */
export type RatesOf = 'accounts' | 'addresses';

import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Write } from '../../portal/accounts/sqlite/operations.ts';
import type { Reply } from '../../portal/accounts/sqlite/reply.ts';
import type { ProcessCount } from '../../proxy/services.ts';
import type { ServeSettings } from '../settings/api-server.ts';
import type { Lease, Unused } from './rate-leases.ts';

/** Kinds of rate: by account, or by address. */
export type RateName = 'accounts' | 'addresses';

/** Metrics of a process. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** Methods of the parent that a worker calls. */
export interface ParentMethods {
  /**
   * Returns the settings and the worker's number; null if it is to end. This is the first call of a
   * worker, which no earlier message reaches.
   */
  begin(): { readonly number: number; readonly settings: ServeSettings } | null;
  /** Reports that the worker serves a release. */
  serving(release: string): void;
  /** Reports, as text, that the worker cannot start; it then exits. */
  failed(fault: string): void;
  /** Leases requests of a subject to the worker, which returns the rest of its previous lease. */
  lease(of: RateName, subject: string, unused: Unused): Promise<Lease>;
  /** Commits changes to an embedded ledger. */
  commit(writes: readonly Write[]): Promise<Reply>;
}

/** Methods of a worker that the parent calls. */
export interface WorkerMethods {
  /** Revokes the lease of a subject, and returns its unused units. */
  recall(of: RateName, subject: string): Promise<Unused>;
  metrics(): Promise<Metrics>;
  setProcesses(count: ProcessCount): void;
  /** Stops the worker after the requests in progress. */
  end(): void;
  /** Stops the worker, breaking off the requests in progress. */
  cutOff(): void;
}

import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { ProcessCount } from '../../proxy/services.ts';
import type { ServeSettings } from '../settings/api-server.ts';
import type { Lease, Unused } from './rate-leases.ts';

/** Whom rates are counted by. */
export type RateName = 'accounts' | 'addresses';

/** What a process has counted. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** Methods of the parent that a worker calls. */
export interface ParentMethods {
  /** The first call: how to serve, and the worker's number among those that do. */
  begin(): { readonly number: number; readonly settings: ServeSettings };
  /** The worker serves a release. */
  serving(release: string): void;
  /** The worker cannot begin, in words for a person, and ends. */
  failed(fault: string): void;
  /** Leases requests of a subject to the worker, which gives back those of its last lease. */
  lease(of: RateName, subject: string, unused: Unused): Promise<Lease>;
}

/** Methods of a worker that the parent calls. */
export interface WorkerMethods {
  /** Ends the lease of a subject. */
  recall(of: RateName, subject: string): Promise<Unused>;
  metrics(): Promise<Metrics>;
  setProcesses(count: ProcessCount): void;
  /** Ends the worker after the requests that have begun. */
  end(): void;
}

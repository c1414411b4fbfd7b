import type { Registry } from 'prom-client';
import type { ProcessCount } from '../../proxy/services.ts';
import { addFigures } from './metric-family.ts';

/**
 * Counts the processes that share the service's port. The counts are reported once, by the process
 * that serves metrics for all.
 */
export function addProcesses(registry: Registry, count: () => ProcessCount): void {
  addFigures(registry, 'gauge', [
    ['tta_processes_serving', 'Processes serving on the port.', () => count().serving],
    ['tta_processes_wanted', 'Processes that should be serving.', () => count().wanted],
  ]);
}

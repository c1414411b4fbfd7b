import type { Registry } from 'prom-client';
import type { ProcessCount } from '../../proxy/services.ts';
import { addFigures } from './metric-family.ts';

/** How many processes share the service's port: told once, by whoever answers Prometheus for them. */
export function addProcesses(registry: Registry, count: () => ProcessCount): void {
  addFigures(registry, 'gauge', [
    ['tta_processes_serving', 'Processes that serve at the port.', () => count().serving],
    ['tta_processes_wanted', 'Processes that should serve there.', () => count().wanted],
  ]);
}

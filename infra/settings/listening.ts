import { z } from 'zod';
import { setting } from './setting.ts';
import { integerSetting } from './setting-types.ts';

export const port = () => integerSetting(0, 65_535);

/** The address a process listens on. */
export const HOST = setting(z.string().prefault('127.0.0.1'), {
  description: 'address to listen on',
  value: '<host>',
});

export const METRICS_PORT = setting(port().optional(), {
  description: 'port for Prometheus metrics, at /metrics',
  value: '<port>',
  whenUnset: 'no metrics',
});

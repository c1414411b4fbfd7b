import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { UsageError } from '../../infra/errors.ts';
import { serveMetrics } from '../../infra/observe/metrics-server.ts';

test('a metrics port that is in use is reported under its own setting', async () => {
  const at = { port: 0, host: '127.0.0.1' };
  const first = await serveMetrics(new Registry(), at);
  const port = Number(new URL(first.address).port);
  const second = serveMetrics(new Registry(), { ...at, port });
  await expect(second).rejects.toThrow(UsageError);
  await expect(second).rejects.toThrow(/in use .*; choose another with --metrics-port/);
  await first.close();
});

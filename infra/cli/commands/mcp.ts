import type { Command } from 'commander';
import type { z } from 'zod';
import { mcpSchema } from '../../settings/mcp.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { packageVersion } from '../package-version.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';

export function defineMcp(command: Command): void {
  addSettings(command, mcpSchema).action((flags: Flags) =>
    run(() => serveTools(readSettings(mcpSchema, flags))),
  );
}

/** Serves until standard input ends and all calls in progress have their results. */
async function serveTools({ API_URL, ACCOUNT_URL, API_KEY }: z.output<typeof mcpSchema>) {
  const [{ serveStdio }, { DrainingStdio }, { mcpServer }, { createClient, memoryStore }] =
    await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('../../../proxy/mcp/draining-stdio.ts'),
      import('../../../proxy/mcp/mcp-server.ts'),
      import('../../../portal/client/src/index.ts'),
    ]);
  const client = createClient({ baseUrl: API_URL, apiKey: API_KEY, store: memoryStore() });
  const site = {
    accountUrl: ACCOUNT_URL ?? null,
    version: packageVersion(),
    keyAdvice: 'set API_KEY in the client’s configuration',
  };
  serveStdio(() => mcpServer(client, site), {
    transport: new DrainingStdio(process.stdin, process.stdout),
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

/** The official suite of the protocol. */
const SUITE = path.resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');

/**
 * Preloaded into the suite: adds to `fs` a function that Node 20 lacks, which the suite imports for
 * another of its commands.
 */
const GLOB_SYNC = moduleOf(`
  import { register } from 'node:module';
  const fs = ${JSON.stringify(
    moduleOf(`export * from 'node:fs'; export { default } from 'node:fs'; export let globSync;`),
  )};
  register(${JSON.stringify(
    moduleOf(`let fs;
      export const initialize = (url) => { fs = url; };
      export const resolve = (specifier, context, next) =>
        specifier === 'fs' ? { url: fs, shortCircuit: true } : next(specifier, context);`),
  )}, { data: fs });
`);

/**
 * Scenarios, or checks of one, that do not apply. Most call tools, prompts and resources by names
 * that only a server made for the suite has; the rest is optional in the protocol.
 */
const NOT_APPLICABLE: Readonly<Record<string, readonly string[]>> = {
  'tools of the suite, called by name': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-error',
    'tools-call-with-progress',
    'server-stateless:sep-2575-server-rejects-undeclared-capability',
    'server-stateless:sep-2575-missing-capability-http-400',
    'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
    'server-stateless:sep-2575-server-no-log-without-loglevel',
  ],
  'tools of the suite that ask the user or the model for more': [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'input-required-result-non-tool-request',
    'input-required-result-missing-input-response',
    'input-required-result-ignore-extra-params',
  ],
  'resources of the suite, read by address': [
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
  ],
  'subscriptions to resources: the only one, the map, does not change': [
    'resources-subscribe',
    'resources-unsubscribe',
  ],
  'prompts and completion of their arguments: there are none': [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'completion-complete',
    'caching:sep-2549-prompts-list-caching-hints',
  ],
  'sessions: the service has none': [
    'server-sse-multiple-streams:server-sse-multiple-streams-session',
  ],
  'log messages: the service sends none': ['logging-set-level', 'tools-call-with-logging'],
};

const proxy = proxyOfTests({ config: { accountUrl: 'https://account.example.org' } });
const folder = folderOfTests();

test('every applicable scenario of the official suite passes, in both versions of the protocol', async () => {
  const url = `http://127.0.0.1:${await proxy.listen()}/mcp`;
  const baseline = path.join(folder, 'not-applicable.yaml');
  await writeFile(baseline, JSON.stringify({ server: Object.values(NOT_APPLICABLE).flat() }));
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const options = ['--url', url, '--requirements', revision, '--expected-failures', baseline];
    const suite = spawn(process.execPath, ['--import', GLOB_SYNC, SUITE, 'server', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [report, [code]] = await Promise.all([text(suite.stdout), once(suite, 'close')]);
    expect(code, report).toBe(0);
    expect(report).toMatch(/✓ tools-list: \d+ passed, 0 failed/);
  }
});

/** The address of a module with the given source. */
function moduleOf(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

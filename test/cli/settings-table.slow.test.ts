import { expect, test } from 'vitest';
import type { z } from 'zod';
import { namesOf, READ_BY_LIBRARIES } from '../../infra/cli/setting-options.ts';
import { serveSchema } from '../../infra/settings/api-server.ts';
import {
  buildSchema,
  exportSchema,
  fetchSchema,
  planSchema,
  refreshSchema,
  workerSchema,
} from '../../infra/settings/builds.ts';
import { mcpSchema } from '../../infra/settings/mcp.ts';
import { portalSchema } from '../../infra/settings/portal-server.ts';
import { aboutOf, defaultOf, flagOf } from '../../infra/settings/setting.ts';
import { commandsOfTests } from '../support/tta.ts';

const runIn = commandsOfTests();

type Rows = readonly (readonly [name: string, type: z.ZodType])[];

const rowsOf = (schema: z.ZodObject<Record<string, z.ZodType>>): Rows =>
  Object.entries(schema.shape);

const [serve, portal] = [rowsOf(serveSchema), rowsOf(portalSchema)];
const isOf = (rows: Rows) => (row: Rows[number]) => rows.some(([name]) => name === row[0]);

const SECTIONS: readonly [title: string, rows: Rows][] = [
  ['`tta serve` and `tta portal`', serve.filter(isOf(portal))],
  ['`tta serve`', serve.filter((row) => !isOf(portal)(row))],
  ['`tta portal`', portal.filter((row) => !isOf(serve)(row))],
  ['`tta build`, `tta plan`', rowsOf(planSchema)],
  ['`tta build`', rowsOf(buildSchema).filter((row) => !isOf(rowsOf(planSchema))(row))],
  ['`tta export`', rowsOf(exportSchema)],
  ['`tta worker`', rowsOf(workerSchema)],
  ['`tta fetch`', rowsOf(fetchSchema)],
  ['`tta refresh`', rowsOf(refreshSchema)],
  ['`tta mcp`', rowsOf(mcpSchema)],
];

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll('|', '\\|').replace(/^./, (c) => c.toUpperCase());

function rowOf([name, type]: Rows[number]): string {
  const flag = flagOf(name, type);
  const isRequired = !type.safeParse(undefined).success;
  const { whenUnset } = aboutOf(type);
  const value = defaultOf(type);
  const byDefault = isRequired ? 'required' : (whenUnset ?? (value === null ? '' : code(value)));
  const names = namesOf(name, type).split(', ').map(code).join(', ');
  return `| ${names} | ${flag === null ? '' : code(flag)} | ${byDefault} | ${cell(aboutOf(type).description)} |`;
}

const DOCUMENT = `# Settings

Each setting is an environment variable or the equivalent flag, which takes precedence. An empty value counts as unset. A secret may be given in a file instead, whose path is in \`NAME_FILE\`; secrets are never shown. Invalid settings are reported together, on one line, at startup. Sizes are in bytes, or such as \`512MiB\`, \`8GB\`.

\`npm start\` uses the settings of both servers; without \`STORE\` and \`LEDGER\` it keeps both in \`VAR_DIR\`. With an area, as in \`npm start -- --place "Baltimore, MD"\`, it uses those of \`tta fetch\`, too, and keeps inputs and store in a folder of \`VAR_DIR\` named after the area. Commands on a store or a ledger use \`STORE\` or \`LEDGER\` as the servers do.

${SECTIONS.map(
  ([title, rows]) => `## ${title}

| variable | flag | default | description |
| --- | --- | --- | --- |
${rows.map(rowOf).join('\n')}
`,
).join('\n')}
## Read by libraries

| variable | description |
| --- | --- |
${Object.entries(READ_BY_LIBRARIES)
  .map(([names, says]) => `| ${names.replaceAll(/[A-Z0-9_]{3,}/g, code)} | ${cell(says)} |`)
  .join('\n')}
| \`HTTP_PROXY\`, \`HTTPS_PROXY\`, \`NO_PROXY\` | Proxies for \`tta fetch\` |
`;

test('SETTINGS.md matches the schema (npx vitest run test/cli/settings-table.slow.test.ts --update writes it)', async () => {
  await expect(DOCUMENT).toMatchFileSnapshot('../../infra/settings/SETTINGS.md');
});

test('the help of a command documents every setting that it accepts', async () => {
  for (const [command, rows] of Object.entries({
    serve,
    portal,
    build: rowsOf(buildSchema),
    export: rowsOf(exportSchema),
    worker: rowsOf(workerSchema),
    refresh: rowsOf(refreshSchema),
  })) {
    const { stdout } = await runIn({}, command, '--help');
    for (const [name, type] of rows) {
      expect(stdout).toContain(name);
      expect(stdout).toContain(flagOf(name, type) ?? name);
    }
  }
});

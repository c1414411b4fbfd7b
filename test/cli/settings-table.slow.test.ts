import { expect, test } from 'vitest';
import type { z } from 'zod';
import { namesOf, READ_BY_LIBRARIES } from '../../infra/cli/setting-options.ts';
import { serveSchema } from '../../infra/settings/api-server.ts';
import { buildSchema, fetchSchema, planSchema, workerSchema } from '../../infra/settings/builds.ts';
import { portalSchema } from '../../infra/settings/portal-server.ts';
import { aboutOf, defaultOf, flagOf } from '../../infra/settings/setting.ts';
import { tta } from '../support/tta.ts';

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
  ['`tta worker`', rowsOf(workerSchema)],
  ['`tta fetch`', rowsOf(fetchSchema)],
];

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll('|', '\\|').replace(/^./, (c) => c.toUpperCase());

function rowOf([name, type]: Rows[number]): string {
  const flag = flagOf(name, type);
  const isRequired = !type.safeParse(undefined).success;
  const { otherwise } = aboutOf(type);
  const value = defaultOf(type);
  const byDefault = isRequired
    ? 'must be given'
    : (otherwise ?? (value === null ? '' : code(value)));
  const names = namesOf(name, type).split(', ').map(code).join(', ');
  return `| ${names} | ${flag === null ? '' : code(flag)} | ${byDefault} | ${cell(aboutOf(type).says)} |`;
}

const DOCUMENT = `# Settings

What the commands are set by: a variable of the environment, or the flag that means the same and wins. One that is empty is as if it were not there. A secret may be in a file instead, which \`NAME_FILE\` names; secrets are never shown. What is wrong ends the start with one line that names all of it. Sizes are bytes, or as \`512MiB\`, \`8GB\`.

\`npm start\` takes those of both servers, but for \`PROCESSES\`: it is one; without \`STORE\` and \`LEDGER\` it keeps both in \`VAR_DIR\`. Commands on a store or a ledger take \`STORE\` or \`LEDGER\` as the servers do.

${SECTIONS.map(
  ([title, rows]) => `## ${title}

| variable | flag | default | what |
| --- | --- | --- | --- |
${rows.map(rowOf).join('\n')}
`,
).join('\n')}
## Read by libraries

| variable | what |
| --- | --- |
${Object.entries(READ_BY_LIBRARIES)
  .map(([names, says]) => `| ${names.replaceAll(/[A-Z0-9_]{3,}/g, code)} | ${cell(says)} |`)
  .join('\n')}
| \`HTTP_PROXY\`, \`HTTPS_PROXY\`, \`NO_PROXY\` | The proxies that \`tta fetch\` goes through |
`;

test('SETTINGS.md matches the schema (npx vitest run test/cli/settings-table.slow.test.ts --update writes it)', async () => {
  await expect(DOCUMENT).toMatchFileSnapshot('../../infra/settings/SETTINGS.md');
});

test('the help of a command documents every setting that it accepts', async () => {
  for (const [command, rows] of Object.entries({
    serve,
    portal,
    build: rowsOf(buildSchema),
    worker: rowsOf(workerSchema),
  })) {
    const { stdout } = await tta(command, '--help');
    for (const [name, type] of rows) {
      expect(stdout).toContain(name);
      expect(stdout).toContain(flagOf(name, type) ?? name);
    }
  }
});

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { folderOfThisTest } from './temporary-folder.ts';

/** Returns an object of a document, or the target if it is a reference. */
function resolved<T extends object>(document: object, node: T | { readonly $ref: string }): T {
  if (!('$ref' in node)) return node;
  const steps = node.$ref.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  ) as T;
}

/**
 * Returns a document whose operations have references to parameters, responses, headers and
 * examples inlined. Schemas stay among its components.
 */
export function inPlace<T extends object>(document: T): T {
  const reported = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(reported);
    if (node === null || typeof node !== 'object') return node;
    const isReference = '$ref' in node && !String(node.$ref).startsWith('#/components/schemas/');
    const found = isReference ? resolved(document, node as { $ref: string }) : node;
    return Object.fromEntries(
      Object.entries(found).map(([name, value]) => [name, reported(value)]),
    );
  };
  return { ...document, paths: reported((document as { paths?: object }).paths) };
}

/**
 * Returns a document whose schemas allow no members but those that they name. As served, responses
 * may have more, so that a member can be added; those of today are all named.
 */
export function withoutOtherMembers<T extends object>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_, node) =>
    node?.type === 'object' && node.properties && node.additionalProperties === undefined
      ? { ...node, additionalProperties: false }
      : node,
  );
}

/**
 * Checks a document with the linter, and its examples, which must be more than `minExamples`,
 * against their schemas.
 */
export async function expectSoundOpenApi(document: string, minExamples: number): Promise<void> {
  expect(await lintOpenApi(document)).toMatch(/valid/i);
  const checked = checkedExamples(JSON.parse(document));
  expect(checked.length).toBeGreaterThan(minExamples);
  expect(checked.filter(({ faults }) => faults)).toEqual([]);
}

/** The findings of redocly's recommended rules in a document. */
async function lintOpenApi(document: string): Promise<string> {
  const folder = await folderOfThisTest();
  const file = path.join(folder, 'openapi.json');
  await writeFile(file, document);
  const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  const { stderr, stdout } = await promisify(execFile)(
    process.execPath,
    [cli, 'lint', '--extends=recommended', '--skip-rule=no-server-example.com', file],
    { cwd: folder, env: { ...process.env, REDOCLY_TELEMETRY: 'off', CI: 'true' } },
  );
  return `${stdout}${stderr}`;
}

type Content = Record<string, { example?: unknown }>;
interface Operation {
  readonly requestBody?: { content: Content };
  readonly responses: Record<string, { content?: Content }>;
}

/**
 * The examples of bodies and successful responses, and the schema violations of each; null if there
 * are none.
 */
function checkedExamples(document: { paths: object }): { at: string; faults: unknown }[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(withoutOtherMembers(document), 'openapi');
  const contents: [pointer: string, content: Content][] = [];
  for (const [route, methods] of Object.entries<Record<string, Operation>>(
    document.paths as Record<string, Record<string, Operation>>,
  )) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      const at = `openapi#/paths/${route.replaceAll('/', '~1')}/${method}`;
      for (const [status, { content = {} }] of Object.entries(responses)) {
        if (status.startsWith('2')) contents.push([`${at}/responses/${status}/content`, content]);
      }
      if (requestBody) contents.push([`${at}/requestBody/content`, requestBody.content]);
    }
  }
  return contents.flatMap(([at, content]) =>
    Object.entries(content).flatMap(([type, { example }]) => {
      if (example === undefined) return [];
      const pointer = `${at}/${type.replaceAll('/', '~1')}/schema`;
      const validate = ajv.getSchema(encodeURI(pointer))!;
      return [{ at: pointer, faults: validate(example) ? null : validate.errors }];
    }),
  );
}

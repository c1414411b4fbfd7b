import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROBLEM_TYPES, type ProblemSlug } from '../../proxy/http/problem-types.ts';

/** The problem documents in a template, as nginx and Varnish quote them. */
async function problemsIn(template: string) {
  const text = await readFile(`infra/front/${template}`, 'utf8');
  return Array.from(text.matchAll(/\{"type":.*\}(?=['"])/g), ([json]) => {
    const { type, title, status } = JSON.parse(json);
    return { slug: type.split('/').at(-1) as ProblemSlug, title, status };
  });
}

test.each([
  ['nginx.conf.template', 3],
  ['api.vcl.template', 1],
] as const)('the problems of %s have the titles of their types', async (template, count) => {
  const problems = await problemsIn(template);
  expect(problems).toHaveLength(count);
  for (const { slug, title, status } of problems) {
    expect({ slug, title, status }).toEqual({
      slug,
      title: PROBLEM_TYPES[slug].title,
      status: PROBLEM_TYPES[slug].status,
    });
  }
});

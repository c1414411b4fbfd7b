import {
  descriptionOf,
  kindText,
  type LocatedOperation,
  operationsOf,
  plainText,
  type References,
} from './document-parts.ts';
import type { Guide } from './guides.ts';
import type { OpenApiDocument, Ref, Schema } from './openapi-types.ts';

/** Levels of nested members shown. */
const MAX_DEPTH = 4;

/** The reference as Markdown: guides, and a list of operations with links to the page of each. */
export function referenceText(document: OpenApiDocument, guides: readonly Guide[]): string {
  const { title, version, description } = document.info;
  const operations = operationsOf(document);
  return lines(
    `# ${title}`,
    `Version ${version}`,
    description,
    ...guides.flatMap((guide) => [`## ${guide.title}`, guide.text]),
    ...document.tags.flatMap((tag) => [
      `## ${tag.name}`,
      tag.description,
      operations
        .filter(({ operation }) => operation.tags.includes(tag.name))
        .map(
          ({ path, method, operation: { operationId, summary } }) =>
            `- [${method} ${path}](docs/${operationId}.md): ${summary}`,
        )
        .join('\n'),
    ]),
  );
}

/** An operation as Markdown: parameters, body, members and an example of its response. */
export function operationText(
  { path, method, operation }: LocatedOperation,
  refs: References,
): string {
  const parameters = (operation.parameters ?? []).map((one) => refs.resolve(one));
  const body = operation.requestBody?.content['application/json'];
  const [status, success] = Object.entries(operation.responses).find(([one]) => /^2/.test(one))!;
  const { description, content = {} } = refs.resolve(success);
  const json = content['application/json'];
  const others = Object.keys(content).filter((one) => one !== 'application/json');
  const examples = [body?.example, json?.example].map((example) =>
    example === undefined ? '' : `\`\`\`json\n${JSON.stringify(example)}\n\`\`\``,
  );
  return lines(
    `# ${operation.summary}`,
    `\`${method} ${path}\` (${operation.security?.length ? 'with a key' : 'free'})`,
    operation.description ?? '',
    parameters.length > 0 ? '## Parameters' : '',
    parameters
      .map(({ name, in: place, required, description = '', schema, example }) => {
        const about = [kindText(schema, refs), required && 'required', place !== 'query' && place];
        const shown = example === undefined ? '' : ` Example: \`${plainText(example)}\``;
        return `- \`${name}\` (${about.filter(Boolean).join(', ')}): ${description}${shown}`;
      })
      .join('\n'),
    ...(body?.schema ? ['## Body', members(body.schema, refs), examples[0]] : []),
    `## Response ${status}`,
    description,
    json?.schema ? members(json.schema, refs) : '',
    examples[1],
    others.length > 0 ? `Also as ${others.map((one) => `\`${one}\``).join(', ')}.` : '',
  );
}

/** Members of an object as a nested list. */
function members(schema: Schema | Ref, refs: References, depth = 0): string {
  const own = refs.resolve(schema);
  if (own.items) return members(own.items, refs, depth);
  const listed = depth < MAX_DEPTH ? Object.entries(own.properties ?? {}) : [];
  return listed
    .flatMap(([name, member]) => {
      const description = descriptionOf(member, refs);
      const optional = own.required?.includes(name) ? '' : ', optional';
      const indent = '  '.repeat(depth);
      const line = `${indent}- \`${name}\` (${kindText(member, refs)}${optional}): ${description}`;
      return [line.replace(/: $/, ''), members(member, refs, depth + 1)];
    })
    .filter((line) => line !== '')
    .join('\n');
}

/** Joins the paragraphs that are not empty. */
function lines(...paragraphs: readonly string[]): string {
  return `${paragraphs.filter((one) => one !== '').join('\n\n')}\n`;
}

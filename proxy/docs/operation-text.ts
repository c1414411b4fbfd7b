import { codeIn, LANGUAGES, NO_KEY, type SampleRequest } from './code-samples.ts';
import {
  descriptionOf,
  kindText,
  type LocatedOperation,
  plainText,
  type References,
} from './document-parts.ts';
import type { Parameter, Ref, Schema } from './openapi-types.ts';

const MAX_DEPTH = 4;
/** Sentences after the first that are easier to find in a list. */
const SENTENCES_OF_A_LIST = 3;

/**
 * An operation as Markdown: a request in several languages, parameters, body, members and an
 * example of its response, and its errors.
 */
export function operationText(one: LocatedOperation, refs: References, baseUrl: string): string {
  const { path, method, operation } = one;
  const parameters = parametersOf(one, refs);
  const body = operation.requestBody?.content['application/json'];
  const [status, success] = Object.entries(operation.responses).find(([code]) => /^2/.test(code))!;
  const { description, content = {}, headers = {} } = refs.resolve(success);
  const json = content['application/json'];
  const others = Object.keys(content).filter((type) => type !== 'application/json');
  const failures = Object.entries(operation.responses).filter(([code]) => /^[45]/.test(code));
  return lines(
    `# ${operation.summary}`,
    `\`${method} ${path}\` (${operation.security?.length ? 'with a key' : 'free'})`,
    listed(operation.description ?? ''),
    samplesText(one, refs, baseUrl),
    parameters.length > 0 ? '## Parameters' : '',
    parameters
      .map(({ name, in: place, required, description = '', schema, example }) => {
        const about = [kindText(schema, refs), required && 'required', place !== 'query' && place];
        const shown = example === undefined ? '' : ` Example: \`${plainText(example)}\``;
        return `- \`${name}\` (${about.filter(Boolean).join(', ')}): ${description}${shown}`;
      })
      .join('\n'),
    ...(body?.schema ? ['## Body', members(body.schema, refs)] : []),
    `## Response ${status}`,
    description,
    json?.schema ? members(json.schema, refs) : '',
    json?.example === undefined ? '' : fenced('json', JSON.stringify(json.example, null, 2)),
    others.length > 0 ? `Also as ${others.map((type) => `\`${type}\``).join(', ')}.` : '',
    Object.keys(headers).length > 0
      ? `Headers: ${Object.keys(headers)
          .map((name) => `\`${name}\``)
          .join(', ')}.`
      : '',
    failures.length > 0 ? '## Errors' : '',
    failures
      .map(([code, response]) => `- ${code}: ${refs.resolve(response).description}`)
      .join('\n'),
  );
}

/**
 * The example request of an operation as Markdown, in the languages that fit: those of data, or
 * curl for a file; none where the document has no example of what must be sent.
 */
export function samplesText(one: LocatedOperation, refs: References, baseUrl: string): string {
  const { path, operation } = one;
  const lacks = ({ required, example }: Parameter) => required && example === undefined;
  if (parametersOf(one, refs).some(lacks)) return '';
  const request = sampleRequest(one, refs, baseUrl);
  const success = refs.resolve(Object.values(operation.responses)[0]);
  if (!path.startsWith('/v1/')) return fenced('curl', codeIn('curl', request));
  if (!('application/json' in (success.content ?? {}))) {
    return fenced('curl', `${codeIn('curl', request)} --output response`);
  }
  return LANGUAGES.map((name) => fenced(name.toLowerCase(), codeIn(name, request))).join('\n\n');
}

function sampleRequest(one: LocatedOperation, refs: References, baseUrl: string): SampleRequest {
  const { path, method, operation } = one;
  const body = operation.requestBody?.content['application/json'];
  const shown = parametersOf(one, refs).filter((own) => own.example !== undefined);
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place, example } of shown) {
    const values = (Array.isArray(example) ? example : [example]).map(plainText);
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(values[0]));
    else for (const value of values) query.append(name, value);
  }
  const sent = Object.fromEntries(shown.map(({ name, example }) => [name, example]));
  const { schema } =
    refs.resolve(operation.responses[200] ?? {}).content?.['application/json'] ?? {};
  const rows =
    schema && 'results' in (refs.resolve(schema).properties ?? {}) ? 'results' : undefined;
  return {
    baseUrl,
    path: filled + (query.size > 0 ? `?${query}` : ''),
    key: operation.security?.length ? NO_KEY : null,
    operation: operation.operationId,
    parameters: method === 'POST' ? { ...sent, ...(body?.example as object) } : sent,
    isPost: method === 'POST',
    rows,
  };
}

/** The parameters of a path, and those of a query that have more than one legal value. */
export function parametersOf({ operation }: LocatedOperation, refs: References): Parameter[] {
  return (operation.parameters ?? [])
    .map((one) => refs.resolve(one))
    .filter(({ in: place, schema }) => {
      const { const: only, enum: values } = refs.resolve(schema);
      if (place !== 'query') return place === 'path';
      return only === undefined && values?.length !== 1;
    });
}

function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

function members(schema: Schema | Ref, refs: References, depth = 0): string {
  const own = refs.resolve(schema);
  if (own.items) return members(own.items, refs, depth);
  const shown = depth < MAX_DEPTH ? Object.entries(own.properties ?? {}) : [];
  return shown
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

/** Renders a paragraph of more than a few sentences as its first and a list of the others. */
export function listed(paragraph: string): string {
  const [first, ...others] = paragraph.split(/(?<=\.) (?=[A-Z`])/);
  if (others.length < SENTENCES_OF_A_LIST) return paragraph;
  return lines(first, others.map((sentence) => `- ${sentence}`).join('\n')).trimEnd();
}

export function lines(...paragraphs: readonly string[]): string {
  return `${paragraphs.filter((one) => one !== '').join('\n\n')}\n`;
}

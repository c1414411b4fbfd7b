import { escapeHtml } from '../../portal/http/html.ts';
import type {
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  Ref,
  Response,
  Schema,
} from './openapi-types.ts';

/** Levels of nested members shown in a schema table; deeper ones are named by their type. */
const MAX_DEPTH = 4;

/** Names of the static files of the page; each changes with its bytes. */
export interface ReferenceAssets {
  readonly style: string;
  readonly script: string;
}

/** Escapes values; results of `html`, and lists of them, are inserted unchanged. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type HtmlValue = string | number | Html | readonly Html[] | null;

function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(written)));
}

function written(value: HtmlValue): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('\n');
  return escapeHtml(String(value));
}

/**
 * Renders the API reference as one HTML page from an OpenAPI document: guides, then every operation
 * with its parameters, body, responses and examples. HEAD operations are omitted, since each
 * repeats its GET. All addresses are relative, so the page works below a path; without JavaScript
 * it lacks only the request forms.
 */
export function referencePage(
  document: OpenApiDocument,
  assets: ReferenceAssets,
  home: string | undefined,
): string {
  const refs = new References(document);
  const groups = document.tags.map((tag) => ({
    tag,
    operations: operationsOf(document).filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const { title, version, description } = document.info;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: API reference</title>
<link rel="icon" href="favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="docs/${assets.style}">
<script type="module" src="docs/${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<p class="brand"><img src="favicon.ico" alt="" width="24" height="24"> ${title}</p>
<nav aria-label="Site">${home === undefined ? null : html`<a href="${home}">Home and keys</a> `}<a href="openapi.json">OpenAPI document</a></nav>
</header>
<div class="columns">
<nav class="contents" aria-label="Contents">
<a href="#guides">Guides</a>
${groups.map(
  ({ tag, operations }) => html`<details open><summary>${tag.name}</summary><ul>
${operations.map(
  ({ path, method, operation }) =>
    html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path.replace('/v1', '')}</a></li>`,
)}
</ul></details>`,
)}
</nav>
<main id="content">
<h1>${title}</h1>
<p class="version">Version ${version}</p>
${prose(description)}
${guides(home)}
<form id="key" hidden>
<label>API key <input name="key" type="password" autocomplete="off" spellcheck="false" placeholder="ta_live_…"></label>
<p class="hint">Used for requests sent from this page, and forgotten when the page is closed.</p>
</form>
${groups.map(
  ({ tag, operations }) => html`<section aria-labelledby="tag-${slug(tag.name)}">
<h2 id="tag-${slug(tag.name)}">${tag.name}</h2>
<p>${tag.description}</p>
${operations.map((one) => operationSection(one, refs))}
</section>`,
)}
</main>
</div>
</body>
</html>
`.text;
}

interface LocatedOperation {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly operation: Operation;
}

function operationsOf({ paths }: OpenApiDocument): LocatedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const found: LocatedOperation[] = [];
    if (item.get) found.push({ path, method: 'GET', operation: item.get });
    if (item.post) found.push({ path, method: 'POST', operation: item.post });
    return found;
  });
}

/** Resolves `$ref`s of a document. */
class References {
  readonly #components: OpenApiDocument['components'];

  constructor({ components }: OpenApiDocument) {
    this.#components = components;
  }

  resolve<T extends object>(value: T | Ref): T {
    if (!('$ref' in value)) return value;
    const [, , kind, name] = value.$ref.split('/');
    return this.resolve(this.#components[kind][name] as T | Ref);
  }

  /** The name of a shared schema. */
  nameOf(value: object): string | null {
    return '$ref' in value ? String(value.$ref).split('/').at(-1)! : null;
  }
}

function operationSection({ path, method, operation }: LocatedOperation, refs: References): Html {
  const { operationId, summary, description, security = [] } = operation;
  const parameters = (operation.parameters ?? []).map((one) => refs.resolve(one));
  const body = operation.requestBody?.content['application/json'];
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route"><span class="method">${method}</span> <code>${path}</code> ${security.length > 0 ? html`<span class="tag">API key</span>` : html`<span class="tag free">free</span>`}</p>
${description === undefined ? null : prose(description)}
${parameters.length === 0 ? null : parameterTable(parameters, refs)}
${body?.schema === undefined ? null : html`<h4>Body</h4>${schemaList(body.schema, refs)}${example(body, refs)}`}
<h4>Responses</h4>
${Object.entries(operation.responses).map(([status, response]) => responseDetails(status, refs.resolve(response), refs))}
${requestForm(path, method, parameters, body, refs)}
</article>`;
}

function parameterTable(parameters: readonly Parameter[], refs: References): Html {
  return html`<h4>Parameters</h4>
<dl class="members">
${parameters.map(
  ({
    name,
    in: place,
    required,
    description,
    schema,
    example: value,
  }) => html`<dt><code>${name}</code> <span class="kind">${typeText(schema, refs)}</span>${required ? html` <span class="tag">required</span>` : null}${place === 'query' ? null : html` <span class="kind">in the ${place}</span>`}</dt>
<dd>${inline(description ?? '')}${value === undefined ? null : html` <span class="kind">Example: <code>${plainText(value)}</code></span>`}</dd>`,
)}
</dl>`;
}

function responseDetails(status: string, response: Response, refs: References): Html {
  const headers = Object.entries(response.headers ?? {});
  const content = Object.entries(response.content ?? {});
  const isSuccess = status === '200';
  return html`<details${isSuccess ? html` open` : null}><summary><span class="status">${status}</span> ${response.description}</summary>
${content.map(
  ([mediaType, one]) => html`<p class="kind">${mediaType}</p>
${mediaType.endsWith('json') && isSuccess && one.schema ? schemaList(one.schema, refs) : null}
${example(one, refs)}`,
)}
${headers.length === 0 ? null : html`<p class="headers">Headers: ${headers.map(([name]) => html`<code>${name}</code>`)}</p>`}
</details>`;
}

function example(media: MediaType, refs: References): Html | null {
  const listed = Object.entries(media.examples ?? {}).map(([name, one]) => ({
    name,
    value: refs.resolve<{ readonly value?: unknown }>(one).value,
  }));
  const all = media.example === undefined ? listed : [{ name: 'Example', value: media.example }];
  const shown = all.filter(({ value }) => value !== undefined);
  if (shown.length === 0) return null;
  return html`${shown.map(
    ({ name, value }) =>
      html`<figure><figcaption>${name}</figcaption><pre tabindex="0"><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre></figure>`,
  )}`;
}

/** Members of an object, including nested objects, as a definition list. */
function schemaList(schema: Schema | Ref, refs: References, depth = 0): Html | null {
  const own = refs.resolve(schema);
  if (own.items) return schemaList(own.items, refs, depth);
  const properties = Object.entries(own.properties ?? {});
  if (properties.length === 0 || depth >= MAX_DEPTH) return null;
  return html`<dl class="members">
${properties.map(([name, member]) => {
  const { description = '' } = refs.resolve(member);
  const isRequired = own.required?.includes(name) ?? false;
  return html`<dt><code>${name}</code> <span class="kind">${typeText(member, refs)}</span>${isRequired ? null : html` <span class="tag free">optional</span>`}</dt>
<dd>${inline(description)}${schemaList(member, refs, depth + 1)}</dd>`;
})}
</dl>`;
}

function typeText(schema: Schema | Ref, refs: References): string {
  const own = refs.resolve(schema);
  const { minimum, maximum, minItems, maxItems } = own;
  if (own.enum) return own.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (own.const !== undefined) return JSON.stringify(own.const);
  const choices = own.anyOf ?? own.oneOf ?? own.allOf;
  if (choices) return choices.map((one) => typeText(one, refs)).join(' | ');
  if (own.items) return `list of ${typeText(own.items, refs)}${range(minItems, maxItems)}`;
  const types = typeof own.type === 'string' ? [own.type] : (own.type ?? ['any']);
  return `${types.join(' | ')}${range(minimum, maximum)}`;
}

function range(least: number | undefined, most: number | undefined): string {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return `, at least ${least}`;
  return least === undefined ? `, at most ${most}` : `, ${least} to ${most}`;
}

/** A form that the page's script completes: it sends the request and shows the response. */
function requestForm(
  path: string,
  method: 'GET' | 'POST',
  parameters: readonly Parameter[],
  body: MediaType | undefined,
  refs: References,
): Html {
  const sent = parameters.filter(({ in: place }) => place !== 'header');
  const example = body && exampleValue(body, refs);
  return html`<form class="request" data-path="${path}" data-method="${method}" hidden>
<h4>Send a request</h4>
${sent.map(
  ({ name, in: place, required, example: value, schema }) =>
    html`<label><code>${name}</code> <input name="${name}" data-in="${place}"${refs.resolve(schema).type === 'array' ? html` data-list` : null}${required ? html` required` : null} value="${value === undefined ? '' : plainText(value)}"></label>`,
)}
${body === undefined ? null : html`<label>Body <textarea name="body" rows="6" spellcheck="false">${example === undefined ? '{}' : JSON.stringify(example, null, 2)}</textarea></label>`}
<button type="submit">Send <span class="visually-hidden">${method} ${path}</span></button>
<output></output>
</form>`;
}

function exampleValue(media: MediaType, refs: References): unknown {
  if (media.example !== undefined) return media.example;
  const [first] = Object.values(media.examples ?? {});
  return first && refs.resolve<{ readonly value?: unknown }>(first).value;
}

function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Paragraphs of plain text with `code` between backticks. */
function prose(text: string): Html {
  return html`${text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`;
}

function inline(text: string): Html {
  return html`${text
    .split('`')
    .map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
    .reduce((all, part) => html`${all}${part}`, html``)}`;
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

function guides(home: string | undefined): Html {
  return html`<section id="guides" aria-labelledby="guides-title">
<h2 id="guides-title">Guides</h2>
<h3>Get a key</h3>
<p>${home === undefined ? 'Ask the operator of this service for an API key.' : html`Sign in at <a href="${home}">the portal</a> by e-mail and create a key.`} Send it with every metered request as <code>Authorization: Bearer KEY</code>, never in a URL.</p>
<h3>Prices</h3>
<p>One token per returned row, at least one per request; an isochrone costs 10 tokens per contour, a map tile 1. Every response has <code>X-Tokens-Charged</code> and <code>X-Tokens-Remaining</code>. A failed request costs nothing. <code>GET /v1/plans</code> lists all prices.</p>
<h3>Repeat for free</h3>
<p>Send the <code>ETag</code> of a response back in <code>If-None-Match</code>. As long as the data has not changed, the response is 304 and free.</p>
<h3>Pages</h3>
<p>A paginated response has <code>next_cursor</code> and a <code>Link</code> header. Send the cursor back as <code>cursor</code> until it is null. Cursors stay valid across releases; <code>X-Data-Release</code> names the release of each page.</p>
<h3>Batches</h3>
<p>POST routes take up to 250 origins. Origins that fail are listed in <code>errors</code>; the others still return rows. Origins that the balance, <code>max_rows</code> or the row budget does not cover are listed in <code>truncated</code>: send them again. Send an <code>Idempotency-Key</code> so that a repeated request is charged once.</p>
<h3>Formats</h3>
<p>JSON by default. Request <code>text/csv</code>, <code>application/x-ndjson</code>, <code>application/vnd.apache.parquet</code> or, for rows with coordinates or of an area, <code>application/geo+json</code> in <code>Accept</code>. Compression follows <code>Accept-Encoding</code>.</p>
<h3>Errors</h3>
<p>Every error is an RFC 9457 problem document. Its <code>type</code> ends in a slug that stays the same, such as <code>block-not-found</code>; <code>detail</code> says what was wrong. Include <code>X-Request-Id</code> when you ask for help.</p>
<h3>Limits</h3>
<p><code>RateLimit</code> and <code>RateLimit-Policy</code> state how many requests are left in the current window. After a 429 or 503, wait for the seconds in <code>Retry-After</code>.</p>
</section>`;
}

/** The policy lets the page load its own files and call this service only. */
export function pageHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      `connect-src 'self' ${new URL(baseUrl).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

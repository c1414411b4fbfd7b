import { escapeHtml } from '../http/html.ts';
import {
  descriptionOf,
  kindText,
  type LocatedOperation,
  operationsOf,
  plainText,
  References,
} from './document-parts.ts';
import type { Guide } from './guides.ts';
import type {
  MediaType,
  OpenApiDocument,
  Parameter,
  Ref,
  Response,
  Schema,
} from './openapi-types.ts';

/** Levels of nested members shown in a schema table; deeper ones are named by their type. */
const MAX_DEPTH = 4;

/** Names of the page's static files; each name changes with the file's bytes. */
interface ReferenceAssets {
  readonly style: string;
  readonly script: string;
}

/**
 * Escaped HTML. `html` escapes values, but inserts its own results, and lists of them, unchanged.
 */
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
 * with its parameters, body, responses and examples. All addresses are relative, so the page works
 * below a path; without JavaScript it lacks only the request forms.
 */
export function referencePage(
  document: OpenApiDocument,
  assets: ReferenceAssets,
  { home, guides }: { readonly home: string | undefined; readonly guides: readonly Guide[] },
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
<link rel="alternate" href="docs.md" type="text/markdown">
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
${guideSections(guides)}
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
  }) => html`<dt><code>${name}</code> <span class="kind">${kindText(schema, refs)}</span>${required ? html` <span class="tag">required</span>` : null}${place === 'query' ? null : html` <span class="kind">in the ${place}</span>`}</dt>
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
  const description = descriptionOf(member, refs);
  const isRequired = own.required?.includes(name) ?? false;
  return html`<dt><code>${name}</code> <span class="kind">${kindText(member, refs)}</span>${isRequired ? null : html` <span class="tag free">optional</span>`}</dt>
<dd>${inline(description)}${schemaList(member, refs, depth + 1)}</dd>`;
})}
</dl>`;
}

/** Renders a form whose request the page's script sends, and whose response it shows. */
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

/** Renders plain text, with `code` between backticks, as paragraphs. */
function prose(text: string): Html {
  return html`${text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`;
}

/** Renders text with `code` between backticks and [links](https://example.org). */
function inline(text: string): Html {
  const parts = text.split(/(`[^`]*`|\[[^\]]*\]\([^)]*\))/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    const [, label, url] = /^\[([^\]]*)\]\(([^)]*)\)$/.exec(part) ?? [];
    return url === undefined ? html`${part}` : html`<a href="${url}">${label}</a>`;
  });
  return parts.reduce((all, part) => html`${all}${part}`, html``);
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

function guideSections(guides: readonly Guide[]): Html {
  return html`<section id="guides" aria-labelledby="guides-title">
<h2 id="guides-title">Guides</h2>
${guides.map(({ title, text }) => html`<h3>${title}</h3>\n<p>${inline(text)}</p>`)}
</section>`;
}

import { Marked } from 'marked';
import { escapeHtml } from '../http/html.ts';
import { LANGUAGES } from './code-samples.ts';
import { type DocPage, plainText, type References } from './document-parts.ts';
import { parametersOf } from './operation-text.ts';

/** Names of the static files of pages; each name changes with the file's bytes. */
export interface DocAssets {
  readonly style: string;
  readonly script: string;
}

interface Site {
  readonly title: string;
  readonly pages: readonly DocPage[];
  readonly refs: References;
  readonly assets: DocAssets;
  readonly home: string | undefined;
}

/**
 * Renders a page as HTML, beside the contents of the documentation. All addresses are relative, so
 * pages work below a path; without JavaScript they lack only search, tabs and request forms.
 */
export function htmlPage(page: DocPage, site: Site): string {
  const { title, pages, assets, home } = site;
  const isStart = page.slug === '';
  const [docs, root] = isStart ? ['docs/', ''] : ['', '../'];
  const link = (slug: string) => (slug === '' ? `${root}docs` : `${docs}${slug}`);
  const groups = [...new Set(pages.map(({ group }) => group))].filter((name) => name !== '');
  const item = ({ slug, title, sends }: DocPage) => {
    const current = slug === page.slug ? ' aria-current="page"' : '';
    const label = sends
      ? `<span class="method">${sends.method}</span> ${escapeHtml(sends.path.replace('/v1', ''))}`
      : escapeHtml(title);
    return `<li><a href="${link(slug)}"${current}>${label}</a></li>`;
  };
  const alternate = pages.includes(page)
    ? `<link rel="alternate" href="${link(page.slug)}.md" type="text/markdown">\n`
    : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(isStart ? title : `${page.title}: ${title}`)}</title>
<link rel="icon" href="${root}favicon.ico" type="image/svg+xml">
${alternate}<link rel="stylesheet" href="${docs}${assets.style}">
<script type="module" src="${docs}${assets.script}"></script>
</head>
<body data-docs="${docs}" data-root="${root}">
<a class="skip" href="#content">Skip to content</a>
<header>
<p class="brand"><a href="${link('')}"><img src="${root}favicon.ico" alt="" width="24" height="24"> ${escapeHtml(title)}</a></p>
<nav aria-label="Site">${home === undefined ? '' : `<a href="${escapeHtml(home)}/map">Map</a> <a href="${escapeHtml(home)}">Home and keys</a> `}<a href="${root}openapi.json">OpenAPI document</a></nav>
</header>
<div class="columns">
<nav class="contents" aria-label="Contents">
<form id="search" role="search" hidden><label>Search <input type="search" name="q" autocomplete="off"></label><output></output></form>
<details class="all" open><summary>Contents</summary>
${groups
  .map((name) => {
    const listed = pages.filter(({ group }) => group === name);
    const open = isStart || listed.some(({ slug }) => slug === page.slug) ? ' open' : '';
    return `<details${open}><summary>${escapeHtml(name)}</summary><ul>\n${listed.map(item).join('\n')}\n</ul></details>`;
  })
  .join('\n')}
</details>
</nav>
<main id="content">
<article${page.sends ? ` id="${page.slug}"` : ''}>
${markdown.parse(page.text(link))}
${requestForm(page, site)}
</article>
</main>
</div>
</body>
</html>
`;
}

/** Renders Markdown; HTML within it is shown as text. */
const markdown = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, depth, text }) {
      const id = text
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-');
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text, lang }) {
      const language = LANGUAGES.find((name) => name.toLowerCase() === lang);
      const caption = language === undefined ? '' : `<figcaption>${language}</figcaption>`;
      return `<figure>${caption}<pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>\n`;
    },
  },
});

function requestForm({ sends }: DocPage, { refs }: Site): string {
  if (sends === undefined) return '';
  const { path, method, operation } = sends;
  const body = operation.requestBody?.content['application/json'];
  const fields = parametersOf(sends, refs).map(({ name, in: place, required, example, schema }) => {
    const isList = refs.resolve(schema).type === 'array';
    const attributes = `data-in="${place}"${isList ? ' data-list' : ''}${required ? ' required' : ''}`;
    const value = example === undefined ? '' : escapeHtml(plainText(example));
    return `<label><code>${name}</code> <input name="${name}" ${attributes} value="${value}"></label>`;
  });
  const text = JSON.stringify(body?.example ?? {}, null, 2);
  const key = operation.security?.length
    ? `<label>API key <input name="key" type="password" autocomplete="off" spellcheck="false" placeholder="ta_live_…"></label>
<p class="hint">Stands in the code above, too, and is forgotten when this tab is closed.</p>\n`
    : '';
  return `<form class="request" data-path="${path}" data-method="${method}" hidden>
<h2 id="send">Send a request</h2>
${key}${fields.join('\n')}
${body === undefined ? '' : `<label>Body <textarea name="body" rows="6" spellcheck="false">${escapeHtml(text)}</textarea></label>`}
<button type="submit">Send <span class="visually-hidden">${method} ${path}</span></button>
<output></output>
</form>`;
}

// Completes a page of the documentation: search, a tab for each language, and a form that sends the
// request and shows status, price and body.

const MAX_SHOWN_CHARACTERS = 20_000;
const MAX_FOUND = 12;
const { docs, root } = document.body.dataset;

// Links to an operation as part of the start page lead to its own page.
const anchor = location.hash.slice(1);
const links = [...document.querySelectorAll('.contents a')].map((a) => a.getAttribute('href'));
if (docs !== '' && links.includes(docs + anchor)) location.replace(docs + anchor);

// Above the text of a phone, an open list would fill the first screens.
if (matchMedia('(max-width: 52rem)').matches) {
  document.querySelector('.contents .all').open = false;
}
document.querySelector('.contents [aria-current]')?.scrollIntoView({ block: 'nearest' });

const search = document.querySelector('#search');
let pages;
search.hidden = false;
search.addEventListener('submit', (event) => event.preventDefault());
search.addEventListener('input', async () => {
  pages ??= fetch(`${docs}search.json`).then((response) => response.json());
  const words = search.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : ranked(await pages, words);
  const output = search.querySelector('output');
  const items = found.slice(0, MAX_FOUND).map(({ slug, title }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = docs + slug;
    link.textContent = title;
    item.append(link);
    return item;
  });
  const list = document.createElement('ul');
  list.append(...items);
  output.replaceChildren(words.length > 0 && items.length === 0 ? 'Nothing found.' : list);
});

/** Pages that have all words, those with most of them in the title first. */
function ranked(all, words) {
  const score = ({ slug, title }) =>
    words.filter((word) => `${slug} ${title}`.toLowerCase().includes(word)).length;
  return all
    .filter(({ slug, title, text }) => {
      const whole = `${slug} ${title} ${text}`.toLowerCase();
      return words.every((word) => whole.includes(word));
    })
    .toSorted((a, b) => score(b) - score(a));
}

for (const figure of document.querySelectorAll('figure')) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'copy', textContent: 'Copy' });
  button.addEventListener('click', () =>
    navigator.clipboard.writeText(figure.querySelector('code').textContent).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Copy failed'),
    ),
  );
  button.addEventListener('blur', () => (button.textContent = 'Copy'));
  figure.prepend(button);
}

// The programs of one request follow each other, and curl's is the first.
const LANGUAGE = 'language';
const captionOf = (figure) => figure?.querySelector('figcaption');
const samples = [];
let next = [...document.querySelectorAll('figure')].find(
  (figure) => captionOf(figure)?.textContent === 'curl',
);
for (; next && captionOf(next); next = next.nextElementSibling) samples.push(next);
const languages = samples.map((sample) => captionOf(sample).textContent);
if (samples.length > 1) {
  const bar = document.createElement('div');
  bar.className = 'tabs';
  bar.setAttribute('role', 'tablist');
  bar.setAttribute('aria-label', 'Language');
  const tabs = samples.map((sample, i) => {
    const tab = document.createElement('button');
    Object.assign(tab, { type: 'button', textContent: languages[i], id: `tab-${i}` });
    // A figure with a caption may have no other role.
    const panel = sample.querySelector('pre');
    panel.id = `code-${i}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    captionOf(sample).hidden = true;
    tab.addEventListener('click', () => choose(i));
    return tab;
  });
  const choose = (chosen) => {
    tabs.forEach((tab, i) => {
      tab.setAttribute('aria-selected', String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      samples[i].hidden = i !== chosen;
    });
    sessionStorage.setItem(LANGUAGE, languages[chosen]);
  };
  bar.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const now = tabs.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
    const next = (now + step + tabs.length) % tabs.length;
    choose(next);
    tabs[next].focus();
  });
  bar.append(...tabs);
  samples[0].before(bar);
  choose(Math.max(0, languages.indexOf(sessionStorage.getItem(LANGUAGE))));
}

const KEY = 'key';
const NO_KEY = 'YOUR_KEY';
const programs = samples.map((sample) => sample.querySelector('code'));
const texts = programs.map(({ textContent }) => textContent);
function showKey(key) {
  programs.forEach((code, i) => {
    code.textContent = texts[i].replaceAll(NO_KEY, key || NO_KEY);
  });
}

for (const form of document.querySelectorAll('form.request')) {
  form.hidden = false;
  const { key } = form.elements;
  if (key) {
    key.value = sessionStorage.getItem(KEY) ?? '';
    key.addEventListener('input', () => {
      sessionStorage.setItem(KEY, key.value.trim());
      showKey(key.value.trim());
    });
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}
showKey(sessionStorage.getItem(KEY) ?? '');

async function send(form) {
  const output = form.querySelector('output');
  output.textContent = 'Sending …';
  const began = performance.now();
  try {
    const response = await fetch(urlOf(form), requestOf(form));
    const text = await response.text();
    const ms = Math.round(performance.now() - began);
    const charged = response.headers.get('x-tokens-charged');
    const price = charged === null ? '' : `, ${charged} ${charged === '1' ? 'token' : 'tokens'}`;
    const status = document.createElement('p');
    status.textContent = `${response.status} ${response.statusText || nameOf(response)}, ${ms} ms${price}`;
    const body = document.createElement('pre');
    body.tabIndex = 0;
    body.textContent = shown(text);
    output.replaceChildren(status, body);
  } catch {
    output.textContent = 'The service could not be reached. Check your connection and try again.';
  }
}

function nameOf(response) {
  return response.ok ? 'OK' : 'Error';
}

function urlOf({ dataset, elements }) {
  const query = new URLSearchParams();
  let path = dataset.path;
  for (const { name, value, dataset: input } of elements) {
    if (value === '' || input.in === undefined) continue;
    if (input.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (input.list === undefined) query.append(name, value);
    else for (const one of value.split(',')) query.append(name, one.trim());
  }
  // Relative to the page: the service may be served below a path.
  return root + path.slice(1) + (query.size > 0 ? `?${query}` : '');
}

function requestOf({ dataset, elements }) {
  const headers = {};
  const key = elements.key?.value.trim() ?? '';
  if (key !== '') headers.authorization = `Bearer ${key}`;
  if (dataset.method === 'GET') return { headers };
  headers['content-type'] = 'application/json';
  return { method: 'POST', headers, body: elements.body.value };
}

function shown(text) {
  let pretty = text;
  try {
    pretty = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON: shown unchanged.
  }
  if (pretty.length <= MAX_SHOWN_CHARACTERS) return pretty;
  return `${pretty.slice(0, MAX_SHOWN_CHARACTERS)}\n… ${pretty.length - MAX_SHOWN_CHARACTERS} more characters`;
}

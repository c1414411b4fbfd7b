// Completes the forms of the API reference: sends the request and shows status, price and body.

const MAX_SHOWN_CHARACTERS = 20_000;
// Above the text of a phone, an open list would fill the first screens.
if (matchMedia('(max-width: 52rem)').matches) {
  for (const group of document.querySelectorAll('.contents details')) group.open = false;
}

const keyForm = document.querySelector('#key');
keyForm.hidden = false;
keyForm.addEventListener('submit', (event) => event.preventDefault());

for (const form of document.querySelectorAll('form.request')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

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
  return path.slice(1) + (query.size > 0 ? `?${query}` : '');
}

function requestOf({ dataset, elements }) {
  const headers = {};
  const key = keyForm.elements.key.value.trim();
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

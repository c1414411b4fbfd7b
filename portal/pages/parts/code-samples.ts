/** Placeholder for a key. */
export const NO_KEY = 'YOUR_KEY';

/** Parts of a sample besides URL and key. */
interface Sample {
  /** The member of the response to print: rows, or an object of figures. */
  readonly rows?: string;
  /** Body of a POST, sent as JSON; without one, the request is a GET. */
  readonly body?: object | undefined;
}

/** A request with a key, in the languages used for such data. */
export const CODE_SAMPLES: readonly {
  readonly name: string;
  readonly codeOf: (url: string, key: string, sample?: Sample) => string;
}[] = [
  {
    name: 'curl',
    codeOf: (url, key, { body } = {}) => `curl -H 'Authorization: Bearer ${key}' \\
${body ? `  --json ${shellQuoted(JSON.stringify(body))} \\\n` : ''}  '${url}'`,
  },
  {
    name: 'Python',
    codeOf: (url, key, { rows = 'results', body } = {}) => `import requests

response = requests.${body ? 'post' : 'get'}(
    "${url}",
    headers={"Authorization": "Bearer ${key}"},
${body ? `    json=${JSON.stringify(body)},\n` : ''}    timeout=30,
)
response.raise_for_status()
${rows === 'basket' ? 'print(response.json()["basket"])' : `for row in response.json()["${rows}"]:\n    print(row)`}
print(response.headers["X-Tokens-Remaining"], "tokens left")`,
  },
  {
    name: 'R',
    codeOf: (url, key, { rows = 'results', body } = {}) => `library(httr2)

response <- request("${url}") |>
  req_auth_bearer_token("${key}") |>
${body ? `  req_body_raw(r"---(${JSON.stringify(body)})---", "application/json") |>\n` : ''}  req_perform()
${rows} <- resp_body_json(response, simplifyVector = TRUE)$${rows}
head(${rows})
resp_header(response, "X-Tokens-Remaining")`,
  },
  {
    name: 'JavaScript',
    codeOf: (url, key, { rows = 'results' } = {}) => `const response = await fetch('${url}', {
  headers: { Authorization: 'Bearer ${key}' },
});
if (!response.ok) throw new Error((await response.json()).detail);
const { ${rows} } = await response.json();
console.table(${rows});
console.log(response.headers.get('X-Tokens-Remaining'), 'tokens left');`,
  },
];

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

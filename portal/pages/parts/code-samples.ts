/** In place of a key. */
export const NO_KEY = 'YOUR_KEY';

/** A request with a key, in the languages used for such data. */
export const CODE_SAMPLES: readonly {
  readonly name: string;
  /** `rows`: the member of the response that has them. */
  readonly codeOf: (url: string, key: string, rows?: string) => string;
}[] = [
  {
    name: 'curl',
    codeOf: (url, key) => `curl -H 'Authorization: Bearer ${key}' \\
  '${url}'`,
  },
  {
    name: 'Python',
    codeOf: (url, key, rows = 'results') => `import requests

response = requests.get(
    "${url}",
    headers={"Authorization": "Bearer ${key}"},
    timeout=30,
)
response.raise_for_status()
for row in response.json()["${rows}"]:
    print(row)
print(response.headers["X-Tokens-Remaining"], "tokens left")`,
  },
  {
    name: 'R',
    codeOf: (url, key, rows = 'results') => `library(httr2)

response <- request("${url}") |>
  req_auth_bearer_token("${key}") |>
  req_perform()
${rows} <- resp_body_json(response, simplifyVector = TRUE)$${rows}
head(${rows})
resp_header(response, "X-Tokens-Remaining")`,
  },
  {
    name: 'JavaScript',
    codeOf: (url, key, rows = 'results') => `const response = await fetch('${url}', {
  headers: { Authorization: 'Bearer ${key}' },
});
if (!response.ok) throw new Error((await response.json()).detail);
const { ${rows} } = await response.json();
console.table(${rows});
console.log(response.headers.get('X-Tokens-Remaining'), 'tokens left');`,
  },
];

/** A request with a key, in the languages used for such data. */
export const CODE_SAMPLES: readonly {
  readonly name: string;
  readonly codeOf: (url: string, key: string) => string;
}[] = [
  {
    name: 'curl',
    codeOf: (url, key) => `curl -H 'Authorization: Bearer ${key}' \\
  '${url}'`,
  },
  {
    name: 'Python',
    codeOf: (url, key) => `import requests

response = requests.get(
    "${url}",
    headers={"Authorization": "Bearer ${key}"},
    timeout=30,
)
response.raise_for_status()
for row in response.json()["results"]:
    print(row["dest_type_id"], row["mode"], row["travel_time"])
print(response.headers["X-Tokens-Remaining"], "tokens left")`,
  },
  {
    name: 'R',
    codeOf: (url, key) => `library(httr2)

response <- request("${url}") |>
  req_auth_bearer_token("${key}") |>
  req_perform()
results <- resp_body_json(response, simplifyVector = TRUE)$results
head(results)
resp_header(response, "X-Tokens-Remaining")`,
  },
  {
    name: 'JavaScript',
    codeOf: (url, key) => `const response = await fetch('${url}', {
  headers: { Authorization: 'Bearer ${key}' },
});
if (!response.ok) throw new Error((await response.json()).detail);
const { results } = await response.json();
console.table(results);
console.log(response.headers.get('X-Tokens-Remaining'), 'tokens left');`,
  },
];

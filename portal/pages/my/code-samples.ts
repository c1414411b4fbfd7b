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

answer = requests.get(
    "${url}",
    headers={"Authorization": "Bearer ${key}"},
    timeout=30,
)
answer.raise_for_status()
for row in answer.json()["results"]:
    print(row["dest_type_id"], row["mode"], row["travel_time"])
print(answer.headers["X-Tokens-Remaining"], "tokens left")`,
  },
  {
    name: 'R',
    codeOf: (url, key) => `library(httr2)

answer <- request("${url}") |>
  req_auth_bearer_token("${key}") |>
  req_perform()
results <- resp_body_json(answer, simplifyVector = TRUE)$results
head(results)
resp_header(answer, "X-Tokens-Remaining")`,
  },
  {
    name: 'JavaScript',
    codeOf: (url, key) => `const answer = await fetch('${url}', {
  headers: { Authorization: 'Bearer ${key}' },
});
if (!answer.ok) throw new Error((await answer.json()).detail);
const { results } = await answer.json();
console.table(results);
console.log(answer.headers.get('X-Tokens-Remaining'), 'tokens left');`,
  },
];

export const NO_KEY = 'YOUR_KEY';

export interface SampleRequest {
  /** The address of the API, without a slash at the end. */
  readonly baseUrl: string;
  /** Path and query. */
  readonly path: string;
  /** The key to send; null for a free route. */
  readonly key: string | null;
  readonly operation: string;
  /** The parameters of the call; those of a POST are its body. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly isPost?: boolean | undefined;
  /** The member of the response to print: rows, or an object of figures; the whole without one. */
  readonly rows?: string | undefined;
}

const CODE = { curl, TypeScript: typeScript, Python: python, R: r };

export type Language = keyof typeof CODE;
export const LANGUAGES = Object.keys(CODE) as readonly Language[];

export function codeIn(language: Language, request: SampleRequest): string {
  return CODE[language](request);
}

function curl({ baseUrl, path, key, isPost, parameters }: SampleRequest): string {
  const header = key === null ? '' : `-H ${shellQuoted(`Authorization: Bearer ${key}`)} \\\n  `;
  const json = isPost ? `--json ${shellQuoted(JSON.stringify(parameters))} \\\n  ` : '';
  return `curl ${header}${json}${shellQuoted(baseUrl + path)}`;
}

function typeScript(request: SampleRequest): string {
  const { baseUrl, key, operation, parameters, rows } = request;
  const members = Object.entries(parameters).map(
    ([name, value]) => `  ${name}: ${literal(value)},`,
  );
  const call = members.length === 0 ? '' : `{\n${members.join('\n')}\n}`;
  const print =
    rows === undefined
      ? 'console.log(data);'
      : `if ('${rows}' in data) console.table(data.${rows});`;
  return `import { createClient } from 'travel-time-access-client';

const api = createClient({ baseUrl: ${literal(baseUrl)}${key === null ? '' : `, apiKey: ${literal(key)}`} });
const { data${key === null ? '' : ', tokens'} } = await api.${operation}(${call});
${print}${key === null ? '' : "\nconsole.log(tokens.remaining, 'tokens left');"}`;
}

function python({ baseUrl, path, key, isPost, parameters, rows }: SampleRequest): string {
  const header =
    key === null ? '' : `    headers={"Authorization": ${JSON.stringify(`Bearer ${key}`)}},\n`;
  const json = isPost ? `    json=${pythonLiteral(parameters)},\n` : '';
  return `import requests

response = requests.${isPost ? 'post' : 'get'}(
    ${JSON.stringify(baseUrl + path)},
${header}${json}    timeout=30,
)
response.raise_for_status()
${printInPython(rows)}${key === null ? '' : '\nprint(response.headers["X-Tokens-Remaining"], "tokens left")'}`;
}

function printInPython(rows: string | undefined): string {
  if (rows === undefined) return 'print(response.json())';
  if (rows === 'basket') return 'print(response.json()["basket"])';
  return `for row in response.json()["${rows}"]:\n    print(row)`;
}

function r({ baseUrl, path, key, isPost, parameters, rows }: SampleRequest): string {
  const header = key === null ? '' : `  req_auth_bearer_token(${JSON.stringify(key)}) |>\n`;
  const json = isPost
    ? `  req_body_raw(${rawInR(JSON.stringify(parameters))}, "application/json") |>\n`
    : '';
  const [name, part] = rows === undefined ? ['data', ''] : [rows, `$${rows}`];
  return `library(httr2)

response <- request(${JSON.stringify(baseUrl + path)}) |>
${header}${json}  req_perform()
${name} <- resp_body_json(response, simplifyVector = TRUE)${part}
head(${name})${key === null ? '' : '\nresp_header(response, "X-Tokens-Remaining")'}`;
}

/** A value of JSON as a literal of TypeScript: text in single quotes, objects as JSON. */
function literal(value: unknown): string {
  const json = JSON.stringify(value);
  if (Array.isArray(value) && !json.includes('{')) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'string') return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A value of JSON as a literal of Python, whose names of constants differ. */
function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`,
  );
  return `{${members.join(', ')}}`;
}

/** Text as a raw string of R, which ends with as many dashes as it begins with. */
function rawInR(text: string): string {
  let dashes = '---';
  while (text.includes(`)${dashes}"`)) dashes += '-';
  return `r"${dashes}(${text})${dashes}"`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

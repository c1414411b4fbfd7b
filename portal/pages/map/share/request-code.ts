import { CODE_SAMPLES, NO_KEY } from '../../parts/code-samples.ts';
import type { MapRequest } from '../views/map-request.ts';

export const LANGUAGES = ['curl', 'TypeScript', 'Python', 'R'] as const;
type Language = (typeof LANGUAGES)[number];

/** A complete program that sends a request, with a placeholder for the key. */
export function requestCode(request: MapRequest, language: Language, apiUrl: string): string {
  if (language === 'TypeScript') return typeScriptOf(request, apiUrl);
  const { codeOf } = CODE_SAMPLES.find(({ name }) => name === language)!;
  const { path, rows, isPost, parameters } = request;
  return codeOf(apiUrl + path, NO_KEY, { rows, body: isPost ? parameters : undefined });
}

function typeScriptOf({ operation, parameters, rows }: MapRequest, apiUrl: string): string {
  const members = Object.entries(parameters).map(([key, value]) => `  ${key}: ${literal(value)},`);
  return `import { createClient } from 'travel-time-access-client';

const api = createClient({ baseUrl: '${apiUrl}', apiKey: '${NO_KEY}' });
const { data, tokens } = await api.${operation}({
${members.join('\n')}
});
if ('${rows}' in data) console.table(data.${rows});
console.log(tokens.remaining, 'tokens left');`;
}

function literal(value: unknown): string {
  const json = JSON.stringify(value);
  // Objects stay JSON, since quotes and commas may be part of a site's id.
  return json.includes('{') ? json : json.replaceAll('"', "'").replaceAll(',', ', ');
}

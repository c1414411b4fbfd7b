import type { z } from 'zod';
import type { Release } from '../../shards/release/release.ts';
import type { Endpoint, ExampleMarks } from '../endpoint.ts';
import { exampleOf } from '../fields/field.ts';
import { withWords, wordsOf } from '../fields/served-words.ts';
import { MEDIA_TYPES } from '../formats/negotiate.ts';
import { type StaticResponse, staticResponse } from '../http/caching.ts';
import { Problem } from '../http/problem.ts';
import type { ProxyServices } from '../services.ts';
import { openApiDocument } from './document.ts';
import { findMarks } from './example-marks.ts';
import { type ExampleRequest, ExampleResponses } from './example-responses.ts';

/** Maximum number of list items in examples; `MAX_CORNERS` limits the corners of outlines. */
const MAX_LISTED = 2;
/** Name of lists that are shown whole, since their items are parts of one thing. */
const SHOWN_WHOLE = 'legs';
const MAX_CORNERS = 4;
const { parquet: PARQUET } = MEDIA_TYPES;
const JSON_TYPE = 'application/json';

interface Content {
  example?: unknown;
}
type Contents = Record<string, Content>;
interface Operation {
  description: string;
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly content: Contents }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<'get' | 'post', Operation>>>>;
  readonly components: { readonly parameters: Record<string, { example?: unknown }> };
}

/**
 * The OpenAPI document as served: its examples are requests to the current release, executed once
 * per release. If the store cannot be read, the document is served without examples.
 */
export class ServedDocument {
  readonly #endpoints: readonly Endpoint[];
  readonly #services: ProxyServices;
  /** Document without examples; made for the first request, since it takes a tenth of a second. */
  #plain: string | undefined;
  #served: { readonly release: Release; readonly text: Promise<StaticResponse> } | null = null;

  constructor(endpoints: readonly Endpoint[], services: ProxyServices) {
    this.#endpoints = endpoints;
    this.#services = services;
  }

  get current(): Promise<StaticResponse> {
    const release = this.#services.releases.current;
    if (this.#served?.release !== release) {
      const text = this.#withExamples(release).catch(() => {
        // The next request retries.
        this.#served = null;
        return staticResponse(this.#withoutExamples());
      });
      this.#served = { release, text };
    }
    return this.#served!.text;
  }

  #withoutExamples(): string {
    this.#plain ??= JSON.stringify(
      openApiDocument(this.#endpoints, this.#services.config),
      null,
      2,
    );
    return this.#plain;
  }

  async #withExamples(release: Release): Promise<StaticResponse> {
    const plain: Document = JSON.parse(this.#withoutExamples());
    const document = withWords(plain, wordsOf(release));
    const responses = new ExampleResponses(this.#services, release);
    const marks = await findMarks(release, responses);
    if (marks === null) return staticResponse(this.#withoutExamples());
    for (const endpoint of this.#endpoints) {
      const operation =
        document.paths[endpoint.path][endpoint.access === 'posted' ? 'post' : 'get'];
      const request = exampleRequest(endpoint, marks, document.components);
      if (request === null) continue;
      if (endpoint.access === 'posted')
        operation.requestBody!.content['application/json'].example = request;
      const { content } = operation.responses[200] ?? operation.responses[201];
      if ('mediaType' in endpoint && endpoint.mediaType) continue;
      for (const [type, described] of Object.entries(content)) {
        // Examples are text, and Parquet is binary.
        if (described.example !== undefined || type === PARQUET) continue;
        const text = await textOrProblem(responses, endpoint, request, type);
        if (text instanceof Problem) {
          if (type === JSON_TYPE)
            operation.description += ` **The current release:** ${text.message}.`;
          continue;
        }
        described.example = shortened(/[/+]json$/.test(type) ? JSON.parse(text) : text);
      }
    }
    return staticResponse(JSON.stringify(document, null, 1));
  }
}

/**
 * Returns the response to a request as text of a media type; the problem if the release lacks what
 * the request names, such as an export, or the response has another type.
 */
async function textOrProblem(
  responses: ExampleResponses,
  endpoint: Endpoint,
  request: ExampleRequest,
  mediaType: string,
): Promise<string | Problem> {
  try {
    return await responses.text(endpoint, request, mediaType);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/**
 * Returns the request of an endpoint's example, and puts its values into the document; null if the
 * release has no data for it.
 */
function exampleRequest(
  endpoint: Endpoint,
  marks: ExampleMarks,
  components: Document['components'],
): ExampleRequest | null {
  if (endpoint.access === 'posted') return { ...endpoint.requestExample(marks) };
  const parameters: Record<string, unknown> = {};
  const shape = { ...endpoint.params.shape, ...endpoint.query.shape };
  for (const [name, schema] of Object.entries<z.ZodType>(shape)) {
    const example = exampleOf(schema, marks);
    if (!example) continue;
    components.parameters[example.id].example = example.value;
    parameters[name] = example.value;
  }
  const isWhole = Object.keys(endpoint.params.shape).every((name) => name in parameters);
  return isWhole ? parameters : null;
}

/** Shortens an example: keeps the start of each list of objects, and simplifies outlines. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (isRing(value)) return simpleRing(value);
    const items: unknown[] = value;
    const isOfObjects = items.some((item) => item !== null && typeof item === 'object');
    return (isOfObjects ? items.slice(0, MAX_LISTED) : items).map(shortened);
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === SHOWN_WHOLE ? member : shortened(member),
    ]),
  );
}

type Position = readonly [lon: number, lat: number];

function isRing(list: unknown): list is readonly Position[] {
  if (!Array.isArray(list)) return false;
  return (
    list.length > 3 && list.every((item) => Array.isArray(item) && typeof item[0] === 'number')
  );
}

function simpleRing(ring: readonly Position[]): readonly Position[] {
  const open = ring.slice(0, -1);
  if (open.length <= MAX_CORNERS) return ring;
  const corners = Array.from(
    { length: MAX_CORNERS },
    (_, i) => open[Math.floor((i * open.length) / MAX_CORNERS)],
  );
  return [...corners, corners[0]];
}

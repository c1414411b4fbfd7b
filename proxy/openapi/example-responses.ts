import { SHARED } from '../../shards/concurrency/fair-queue.ts';
import type { Release } from '../../shards/release/release.ts';
import type { Endpoint } from '../endpoint.ts';
import { formatFor, GEOJSON_OBJECT, type Offer, offersOf } from '../formats/negotiate.ts';
import { ROW_FORMATS } from '../formats/row-format.ts';
import { CursorSealer } from '../http/cursor.ts';
import { LinkSigner } from '../http/signed-links.ts';
import { finishResponse } from '../serve/finish-response.ts';
import type { ProxyServices } from '../services.ts';

/** An example request to an endpoint: values by parameter name, or a body. */
export interface ExampleRequest {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: object;
}

/** Secrets for examples only: examples contain no usable cursor or link, and need no ledger. */
const SECRETS = ['the secret of the examples'];
const CURSORS = new CursorSealer(SECRETS);
const LINKS = new LinkSigner(() => SECRETS);

/**
 * Executes requests as the service would, but without key, charge or HTTP, so that examples show
 * real responses.
 */
export class ExampleResponses {
  readonly #services: ProxyServices;
  readonly #release: Release;

  constructor(services: ProxyServices, release: Release) {
    const unusable = { cursors: { value: CURSORS }, links: { value: LINKS } };
    this.#services = Object.create(services, unusable) as ProxyServices;
    this.#release = release;
  }

  /** Returns the response as JSON; rejects with the problem if there is one. */
  async json(endpoint: Endpoint, request: ExampleRequest): Promise<Record<string, unknown>> {
    const [[, text]] = await this.#texts(endpoint, request, () => true);
    return JSON.parse(text);
  }

  /** The response in each of its media types: an object for JSON, otherwise text. */
  async byMediaType(endpoint: Endpoint, request: ExampleRequest): Promise<Map<string, unknown>> {
    const texts = await this.#texts(endpoint, request, () => false);
    return new Map(
      texts.map(([type, text]) => [type, /[/+]json$/.test(type) ? JSON.parse(text) : text]),
    );
  }

  /** Renders the response in the formats of its endpoint, up to the first that suffices. */
  async #texts(
    endpoint: Endpoint,
    request: ExampleRequest,
    isEnough: (offer: Offer) => boolean,
  ): Promise<[mediaType: string, text: string][]> {
    if (endpoint.access === 'keyed') return [];
    if (endpoint.access === 'free') {
      const { body } = await endpoint.respond(this.#services, inputOf(endpoint, request));
      const text = JSON.stringify(body);
      const offers = endpoint.isGeoJson ? GEOJSON_OBJECT : offersOf({});
      return offers.map(({ mediaTypes: [type] }) => [type, text]);
    }
    const texts: [string, string][] = [];
    const { offers, respond } = await this.#resolved(endpoint, request);
    for (const offer of offers) {
      const format = formatFor(undefined, [offer]);
      // Examples are text, and Parquet is binary.
      if (format === 'parquet') continue;
      const { body } = await finishResponse(await respond(format), format, SHARED);
      texts.push([offer.mediaTypes[0], body.whole().toString()]);
      if (isEnough(offer)) break;
    }
    return texts;
  }

  /** Returns the formats that a metered endpoint offers, and a function that responds in one. */
  async #resolved(
    endpoint: Extract<Endpoint, { access: 'metered' | 'posted' }>,
    request: ExampleRequest,
  ) {
    const [services, release] = [this.#services, this.#release];
    const makingIn = (format: Offer['format']) => ({
      config: services.config,
      cursors: CURSORS,
      waiters: SHARED,
      format: ROW_FORMATS[format],
    });
    if (endpoint.access === 'posted') {
      const body = endpoint.body.parse(request.body);
      const resolved = await endpoint.resolve(release, body, services, SHARED);
      const located = (await endpoint.locate?.(release, resolved, SHARED)) ?? resolved;
      const respond = (format: Offer['format']) =>
        endpoint.respond(release, located, makingIn(format), Number.MAX_SAFE_INTEGER);
      return { offers: offersOf(endpoint), respond };
    }
    const resolved = await endpoint.resolve(release, inputOf(endpoint, request), services);
    const located = await endpoint.locate?.(release, resolved, SHARED);
    const respond = (format: Offer['format']) =>
      endpoint.respond(release, resolved, makingIn(format), located);
    return { offers: resolved.isGeoJson ? GEOJSON_OBJECT : offersOf(endpoint), respond };
  }
}

/** Parses parameters given as text, as they arrive in a URL. */
function inputOf(
  { params, query }: Extract<Endpoint, { access: 'free' | 'metered' }>,
  { parameters = {} }: ExampleRequest,
) {
  const texts = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  );
  const of = (shape: object) =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => Object.hasOwn(shape, name)));
  return { params: params.parse(of(params.shape)), query: query.parse(of(query.shape)) };
}

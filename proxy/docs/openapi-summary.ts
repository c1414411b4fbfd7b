import type { OpenApiDocument, Operation, Parameter, Ref } from './openapi-types.ts';

export interface WholeDocument extends OpenApiDocument {
  readonly components: Record<'schemas' | 'parameters' | 'securitySchemes', Record<string, object>>;
}

const FAILURE = {
  description: 'A problem document (RFC 9457); nothing is charged.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/**
 * An OpenAPI document for language models, a fifth of the whole: without examples, headers and
 * formats other than JSON, and with one response for all errors.
 */
export function openApiSummary(document: WholeDocument): object {
  const { paths, components, ...rest } = document;
  const { schemas, parameters, securitySchemes } = components;
  const placeOf = (one: Parameter | Ref) =>
    ('$ref' in one ? (parameters[one.$ref.split('/').at(-1)!] as Parameter) : one).in;
  const shortened = ({ parameters: own = [], requestBody, responses, ...operation }: Operation) => {
    const [status, success] = Object.entries(responses).find(([one]) => /^2/.test(one))!;
    const sent = own.filter((one) => placeOf(one) !== 'header');
    return {
      ...operation,
      ...(sent.length > 0 && { parameters: sent }),
      ...(requestBody && { requestBody }),
      responses: {
        [status]: { ...success, ...jsonOf(success) },
        default: { $ref: '#/components/responses/Failure' },
      },
    };
  };
  const kept = Object.entries(paths).map(([path, { get, post }]) => [
    path,
    { ...(get && { get: shortened(get) }), ...(post && { post: shortened(post) }) },
  ]);
  const queried = Object.entries(parameters).filter(
    ([, one]) => (one as Parameter).in !== 'header',
  );
  return withoutExamples({
    ...rest,
    paths: Object.fromEntries(kept),
    components: {
      schemas,
      parameters: Object.fromEntries(queried),
      responses: { Failure: FAILURE },
      securitySchemes,
    },
  });
}

/** Returns the JSON content of a response, or its first format if it has no JSON. */
function jsonOf(response: Operation['responses'][string]): object {
  if ('$ref' in response || response.content === undefined) return {};
  const formats = Object.entries(response.content);
  const json = formats.find(([type]) => type === 'application/json') ?? formats[0];
  return { content: Object.fromEntries([json]) };
}

const OMITTED = new Set(['example', 'examples', 'headers']);

function withoutExamples(node: object): object {
  if (Array.isArray(node)) return node.map((one) => (isObject(one) ? withoutExamples(one) : one));
  const members = Object.entries(node).filter(([name]) => !OMITTED.has(name));
  return Object.fromEntries(
    members.map(([name, value]) => [name, isObject(value) ? withoutExamples(value) : value]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

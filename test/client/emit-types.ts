import { ALL_LINK_MODES, BASE_MODES, LINK_MODES, MODE_LABELS } from '../../shards/modes.ts';
import { BASE_PERCENTILE, BASE_WINDOW } from '../../shards/services.ts';

/** The subset of JSON Schema that our documents use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly if?: Schema;
  readonly else?: Schema;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security?: readonly object[];
}

type Method = 'get' | 'post';

/** The parts of an OpenAPI 3.1 document that types are made from. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, ApiOperation>>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly examples: Readonly<Record<string, { readonly value: Problem }>>;
  };
}

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
}

/**
 * Returns the TypeScript module of a document: its schemas, operations and problems as types, and a
 * table of access, method, path and chunked member for the client. Leaves out files and messages of
 * assistants, whose paths are not below `/v1`, since other clients read them.
 */
export function emitTypes({ paths, components }: OpenApiDocument): string {
  const sent = sentSchemas(paths, components.schemas);
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const type = name === FEATURES ? FEATURES_TYPE : `${name} = ${typeOf(schema, sent.has(name))}`;
    return `${doc(schema.description)}export type ${type};\n`;
  });
  const problems = Object.entries(components.examples).map(([slug, { value }]) => {
    const { type: _type, title, status, ...own } = value;
    const always = Object.keys(own).map(quoted).join(' | ');
    const type = always ? `Problem & Required<Pick<Problem, ${always}>>` : 'Problem';
    return indented(`${doc(`${title}. Status ${status}.`)}${quoted(slug)}: ${type};`);
  });
  const operations = operationsIn(paths).map((one) => {
    return { ...one, params: paramsOf(one.operation, components.parameters) };
  });
  const sharedParams = sharedMembers(operations.map(({ params }) => membersOf(params, true)));
  const sharedResponses = sharedMembers(
    operations.map(({ operation }) => {
      // JSON is what differs between operations.
      const { 'application/json': _json, ...others } = Object.fromEntries(responsesOf(operation));
      return new Map(Object.entries(others));
    }),
  );
  const types = operations.map(({ operation, params }) => {
    const { operationId, summary, description = '' } = operation;
    const type = `${operationId}: ${block([
      `params: ${picked('SharedParams', membersOf(params, true), sharedParams)};`,
      `responses: ${picked('SharedResponses', responsesOf(operation), sharedResponses)};`,
    ])};`;
    return indented(`${doc(`${summary}. ${description}`)}${type}`);
  });
  const table = operations.map(({ path, method, operation, params }) => {
    const isFree = (operation.security ?? []).length === 0;
    const access = method === 'post' ? 'posted' : isFree ? 'free' : 'keyed';
    const row = [access, path, ...chunksOf(operation, params)];
    return `  ${operation.operationId}: ${JSON.stringify(row).replaceAll('"', "'")},`;
  });
  return [
    '// Generated from the OpenAPI document by emit-types.ts: do not edit.\n',
    ...schemas,
    '/** Problem documents by slug. */',
    `export interface Problems {\n${problems.join('\n')}\n}\n`,
    '/** Parameters that several operations take. */',
    `export interface SharedParams ${objectType(sharedParams)}\n`,
    '/** Responses of several operations, by media type. */',
    `export interface SharedResponses ${objectType(sharedResponses)}\n`,
    '/** Parameters, and responses by media type, of each operation. */',
    `export interface Operations {\n${types.join('\n')}\n}\n`,
    `export const OPERATIONS: Record<
  keyof Operations,
  readonly [
    /** Without a key, with one, or with one by POST. */
    access: 'free' | 'keyed' | 'posted',
    path: string,
    /** The list that a batch is cut along, and its length. */
    list?: string,
    size?: number,
  ]
> = {\n${table.join('\n')}\n};\n`,
  ].join('\n');
}

function operationsIn(paths: OpenApiDocument['paths']) {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      (['get', 'post'] as const).flatMap((method) => {
        const operation = methods[method];
        return operation ? [{ path, method, operation }] : [];
      }),
    );
}

/** Members of an object type, each with its comment, by name. */
type Members = ReadonlyMap<string, string>;

/** The members that several objects have: of a name with several, the one that most have. */
function sharedMembers(objects: readonly Members[]): Members {
  const counts = new Map<string, Map<string, number>>();
  for (const [name, member] of objects.flatMap((members) => [...members])) {
    const ofName = counts.get(name) ?? new Map<string, number>();
    counts.set(name, ofName.set(member, (ofName.get(member) ?? 0) + 1));
  }
  const shared = [...counts].flatMap(([name, ofName]) => {
    const [[member, count]] = [...ofName].sort(([, a], [, b]) => b - a);
    return count > 1 ? [[name, member] as const] : [];
  });
  return new Map(shared);
}

/** The responses of an operation as members, by media type. */
function responsesOf(operation: ApiOperation): Members {
  const content = contentOf(operation);
  const responses = Object.entries(content).map(([mediaType, { schema }]) => {
    const isRows = schema.$ref !== undefined && nameIn(schema.$ref) === FEATURES;
    const type = isRows ? `${FEATURES}<${rowOf(content)}>` : mediaTypeOf(mediaType, schema);
    return [mediaType, `${quoted(mediaType)}: ${type};`] as const;
  });
  return new Map(responses);
}

/** The type of an object, some of whose members are picked from the shared ones of an interface. */
function picked(name: string, members: Members, shared: Members): string {
  const isShared = ([name, member]: readonly [string, string]) => shared.get(name) === member;
  const alike = [...members].filter(isShared).map(([member]) => quoted(member));
  const own = [...members].filter((member) => !isShared(member));
  if (alike.length === 0) return objectType(members);
  const pick = `Pick<${name}, ${alike.join(' | ')}>`;
  return own.length === 0 ? pick : `${pick} & ${objectType(new Map(own))}`;
}

/** The component of rows as GeoJSON features; generic in the client, by the row of the route. */
const FEATURES = 'RowsAsGeoJson';
const FEATURES_TYPE = `${FEATURES}<Row> = {
  type: 'FeatureCollection';
  features: Array<{
    type: 'Feature';
    geometry: Geometry | { type: 'Point'; coordinates: Array<number> } | null;
    /** The members of the row but its coordinates, which are the geometry. */
    properties: Omit<Row, 'lon' | 'lat'>;
  }>;
  [member: string]: unknown;
}`;

/** The type of the rows of an operation: of its `results`, or the response itself. */
function rowOf(content: Content): string {
  const { schema } = content['application/json'];
  return typeOf(schema.properties?.results?.items ?? schema);
}

/** The names of schemas that requests refer to, directly or not. */
function sentSchemas(
  paths: OpenApiDocument['paths'],
  schemas: OpenApiDocument['components']['schemas'],
): ReadonlySet<string> {
  const bodies = Object.values(paths).map(({ post }) => post?.requestBody?.content);
  const names = new Set(refsIn(bodies));
  for (const name of names) for (const inner of refsIn(schemas[name])) names.add(inner);
  return names;
}

/** The names of the schemas that a value refers to. */
function refsIn(value: unknown): string[] {
  const refs = JSON.stringify(value ?? null).matchAll(/"\$ref":"([^"]+)"/g);
  return Array.from(refs, ([, ref]) => nameIn(ref));
}

function contentOf({ responses }: ApiOperation): Content {
  return (responses[200] ?? responses[201]).content ?? {};
}

/** Parameters of path and query, or members of the body, as one object. */
function paramsOf(operation: ApiOperation, components: Readonly<Record<string, Parameter>>) {
  const body = operation.requestBody?.content['application/json'].schema;
  const listed = (operation.parameters ?? [])
    .map((one) => ('$ref' in one ? components[nameIn(one.$ref)] : one))
    .filter((one) => one.in !== 'header');
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(listed.map(({ name, schema }) => [name, schema])),
      ...body?.properties,
    },
    required: [
      ...listed.filter(({ required }) => required).map(({ name }) => name),
      ...(body?.required ?? []),
    ],
    additionalProperties: false,
  } satisfies Schema;
}

/**
 * The list parameter of a batch and its maximum length; empty unless a response may have
 * `truncated` origins.
 */
function chunksOf(operation: ApiOperation, params: Schema): [list: string, size: number] | [] {
  const response = contentOf(operation)['application/json']?.schema;
  if (!response?.properties?.truncated) return [];
  const properties = params.properties!;
  const names = params.required?.length ? params.required : Object.keys(properties);
  // Origins that may be absent, as an area is sent in their place, are the longest list.
  const [longest] = names
    .flatMap((list): [string, number][] => {
      const { type, maxItems = 0 } = properties[list];
      return type === 'array' ? [[list, maxItems]] : [];
    })
    .sort(([, a], [, b]) => b - a);
  return longest;
}

function mediaTypeOf(mediaType: string, schema: Schema): string {
  if (/[/+]json$/.test(mediaType)) return typeOf(schema);
  return mediaType.startsWith('text/') || mediaType.endsWith('ndjson') ? 'string' : 'Uint8Array';
}

/**
 * Returns the type of a schema. In requests, arrays may be read-only and optional members
 * `undefined`.
 */
function typeOf(schema: Schema, isSent = false): string {
  if (schema.$ref) return nameIn(schema.$ref);
  // Releases may have further modes, which are known.
  if (schema.enum?.join() === BASE_MODES.join()) return MODE_LABELS.map(literal).join(' | ');
  if (schema.enum?.join() === LINK_MODES.join()) return ALL_LINK_MODES.map(literal).join(' | ');
  // Releases may have further windows of departures and percentiles.
  if (isOfRelease(schema)) return typeof schema.enum![0];
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const choices = choicesOf(schema);
  if (choices) return choices.map((one) => typeOf(one, isSent)).join(' | ');
  if (typeof schema.type === 'object') {
    return schema.type.map((type) => typeOf({ ...schema, type }, isSent)).join(' | ');
  }
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return `${isSent ? 'ReadonlyArray' : 'Array'}<${typeOf(schema.items ?? {}, isSent)}>`;
    case 'object':
      return objectType(membersOf(schema, isSent));
    case undefined:
      return 'unknown';
    default:
      throw new Error(`A schema has the type ${schema.type}, which has no counterpart here.`);
  }
}

/** The alternatives of a schema, or of its condition. */
function choicesOf({ anyOf, oneOf, if: met, else: unmet }: Schema) {
  return anyOf ?? oneOf ?? (met && unmet && [met, unmet]);
}

function membersOf(schema: Schema, isSent: boolean): Members {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const isRequired = schema.required?.includes(name);
    const type = `${typeOf(member, isSent)}${isSent && !isRequired ? ' | undefined' : ''}`;
    const text = `${doc(member.description)}${memberName(name)}${isRequired ? '' : '?'}: ${type};`;
    return [name, text] as const;
  });
  const more = schema.additionalProperties;
  // An index signature must admit the named members, too.
  const isMap = typeof more === 'object' && members.length === 0;
  const value = isMap ? typeOf(more, isSent) : 'unknown';
  return new Map([...members, ...(more ? [['', `[member: string]: ${value};`] as const] : [])]);
}

const objectType = (members: Members) =>
  members.size === 0 ? 'Record<string, never>' : block([...members.values()]);

const nameIn = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
const memberName = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));
const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
const literal = (value: unknown) => (typeof value === 'string' ? quoted(value) : String(value));
const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ');
const block = (members: readonly string[]) => `{\n${members.map(indented).join('\n')}\n}`;
const doc = (text = '') =>
  text.trim() && `/** ${text.trim().replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n`;

/** Whether a schema lists the windows or the percentiles of the release that the document is of. */
function isOfRelease(schema: Schema): boolean {
  const [word, ...others] = schema.enum ?? [];
  return others.length === 0 && (word === BASE_WINDOW.name || word === BASE_PERCENTILE);
}

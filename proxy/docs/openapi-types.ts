/**
 * The parts of an OpenAPI 3.1 document that the reference shows. `$ref`s point into `components`.
 */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Response | Ref>>;
}

export interface Ref {
  readonly $ref: string;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema | Ref;
  readonly example?: unknown;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref | { readonly description?: string }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface MediaType {
  readonly schema?: Schema | Ref;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Ref | { readonly value?: unknown }>>;
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema | Ref>>;
  readonly required?: readonly string[];
  readonly items?: Schema | Ref;
  readonly anyOf?: readonly (Schema | Ref)[];
  readonly oneOf?: readonly (Schema | Ref)[];
  readonly allOf?: readonly (Schema | Ref)[];
  readonly if?: Schema | Ref;
  readonly else?: Schema | Ref;
}

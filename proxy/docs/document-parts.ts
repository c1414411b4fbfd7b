import type { OpenApiDocument, Operation, Ref, Schema } from './openapi-types.ts';

export interface LocatedOperation {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly operation: Operation;
}

export interface DocPage {
  /** The end of its path: `getBlockSummary`, `own-sites`; empty for the start page. */
  readonly slug: string;
  readonly title: string;
  readonly group: string;
  /** Its Markdown, with the addresses that `link` gives to other pages. */
  readonly text: (link: (slug: string) => string) => string;
  /** The operation whose requests can be sent from the page. */
  readonly sends?: LocatedOperation;
}

export function operationsOf({ paths }: OpenApiDocument): LocatedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const found: LocatedOperation[] = [];
    if (item.get) found.push({ path, method: 'GET', operation: item.get });
    if (item.post) found.push({ path, method: 'POST', operation: item.post });
    return found;
  });
}

export class References {
  readonly #components: OpenApiDocument['components'];

  constructor({ components }: OpenApiDocument) {
    this.#components = components;
  }

  resolve<T extends object>(value: T | Ref): T {
    if (!('$ref' in value)) return value;
    const [, , kind, name] = value.$ref.split('/');
    return this.resolve(this.#components[kind][name] as T | Ref);
  }
}

/** Returns a member's description; for a list without one, the description of its items. */
export function descriptionOf(schema: Schema | Ref, refs: References): string {
  const { description, items } = refs.resolve(schema);
  return description ?? (items ? descriptionOf(items, refs) : '');
}

/** The type of a value in words, and its default if it has one: `integer, 1 to 5, default 1`. */
export function kindText(schema: Schema | Ref, refs: References): string {
  const { default: preset } = refs.resolve(schema);
  const type = typeText(schema, refs);
  return preset === undefined ? type : `${type}, default ${JSON.stringify(preset)}`;
}

/** The type of a value in words: `list of integer, 1 to 5`. */
function typeText(schema: Schema | Ref, refs: References): string {
  const own = refs.resolve(schema);
  const { minimum, maximum, minItems, maxItems } = own;
  if (own.enum) return own.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (own.const !== undefined) return JSON.stringify(own.const);
  const choices = own.anyOf ?? own.oneOf ?? own.allOf ?? (own.if && own.else && [own.if, own.else]);
  if (choices) return choices.map((one) => typeText(one, refs)).join(' | ');
  if (own.items) return `list of ${typeText(own.items, refs)}${range(minItems, maxItems)}`;
  const types = typeof own.type === 'string' ? [own.type] : (own.type ?? ['any']);
  return `${types.join(' | ')}${range(minimum, maximum)}`;
}

function range(least: number | undefined, most: number | undefined): string {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return `, at least ${least}`;
  return least === undefined ? `, at most ${most}` : `, ${least} to ${most}`;
}

export function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

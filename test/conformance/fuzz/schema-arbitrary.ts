import fc from 'fast-check';

/** The subset of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly else?: Schema;
}

/**
 * Values that occur in the release, by the name of the parameter or member. A name with an empty
 * list is omitted where optional.
 */
export type Pools = Readonly<Record<string, readonly unknown[]>>;

/** The longest array generated here; longer ones are generated deliberately elsewhere. */
const MAX_ITEMS = 4;

/**
 * Values that a schema allows, including its bounds. A name with a pool mostly draws from it:
 * merely well-formed values hardly ever match anything.
 */
export function valuesOf(
  schema: Schema,
  resolve: (ref: string) => Schema,
  pools: Pools,
  name = '',
): fc.Arbitrary<unknown> {
  const inner = (one: Schema, called = name) => valuesOf(one, resolve, pools, called);
  if (schema.$ref !== undefined) return inner(resolve(schema.$ref));
  const { anyOf, oneOf, if: met, else: unmet } = schema;
  const alternatives = anyOf ?? oneOf ?? (met && unmet && [met, unmet]);
  if (alternatives) return fc.oneof(...alternatives.map((one) => inner(one)));
  if (schema.allOf) {
    return fc
      .tuple(...schema.allOf.map((one) => inner(one)))
      .map((all) => Object.assign({}, ...all));
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return fc.oneof(...types.map((type) => ofType(type, schema, inner, pools, name)));
}

export function isLeftOut(name: string, pools: Pools): boolean {
  return pools[name]?.length === 0;
}

function ofType(
  type: string | undefined,
  schema: Schema,
  inner: (one: Schema, called?: string) => fc.Arbitrary<unknown>,
  pools: Pools,
  name: string,
): fc.Arbitrary<unknown> {
  const pool = pools[name];
  const mostly = (made: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    pool?.length ? fc.oneof({ arbitrary: fc.constantFrom(...pool), weight: 12 }, made) : made;
  switch (type) {
    case 'integer':
      return mostly(integers(schema));
    case 'number':
      return mostly(numbers(schema));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return mostly(strings(schema));
    case 'array': {
      if (schema.prefixItems) return fc.tuple(...schema.prefixItems.map((one) => inner(one)));
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS));
      return fc.array(inner(schema.items ?? {}, name), { minLength, maxLength });
    }
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const members = Object.entries(properties).filter(([key]) => !isLeftOut(key, pools));
      const requiredKeys = required.filter((key) => properties[key]);
      return mostly(
        fc.record(Object.fromEntries(members.map(([key, member]) => [key, inner(member, key)])), {
          requiredKeys,
        }),
      );
    }
    default:
      return fc.jsonValue();
  }
}

function integers({ minimum, maximum, exclusiveMinimum }: Schema): fc.Arbitrary<number> {
  const min = minimum ?? (exclusiveMinimum === undefined ? -(2 ** 31) : exclusiveMinimum + 1);
  const max = Math.min(maximum ?? 2 ** 31, Number.MAX_SAFE_INTEGER);
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const min = schema.minimum ?? schema.exclusiveMinimum ?? -1e9;
  const max = schema.maximum ?? schema.exclusiveMaximum ?? 1e9;
  return fc
    .integer({ min: Math.ceil(min * 100), max: Math.floor(max * 100) })
    .map((hundredths) => hundredths / 100)
    .filter((value) => schema.exclusiveMinimum === undefined || value > schema.exclusiveMinimum);
}

function strings({ pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength, maxLength: Math.min(maxLength, 40) });
}

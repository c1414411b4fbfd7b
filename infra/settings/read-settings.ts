import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { systemCode } from '../../shards/error-facts.ts';
import { ArgumentError } from '../errors.ts';
import { aboutOf, flagOf } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Values of flags, under the names that the command's parser gives them. */
export type Flags = Readonly<Record<string, unknown>>;

type Schema = z.ZodObject<Record<string, z.ZodType>>;

/** A setting that was given: its text, and its source, such as `--port` or `PORT`. */
interface Given {
  readonly text: string;
  readonly as: string;
}

/**
 * Reads settings by their environment names. Flags override the environment, which overrides
 * defaults; an empty value counts as unset. Throws an `ArgumentError` with every error on one line.
 */
export function readSettings<S extends Schema>(
  schema: S,
  flags: Flags = {},
  env: Environment = process.env,
): z.output<S> {
  const faults: string[] = [];
  const given = new Map<string, Given>();
  for (const [name, type] of Object.entries(schema.shape)) {
    const found = givenOf(name, type, flags, env, faults);
    if (found) given.set(name, found);
  }
  for (const [name, { as }] of given) {
    for (const needed of aboutOf(schema.shape[name]).needs ?? []) {
      if (!given.has(needed)) faults.push(`${needed}: is required with ${as}`);
    }
  }
  const texts = Object.fromEntries(Array.from(given, ([name, { text }]) => [name, text]));
  const checked = schema.safeParse(texts);
  for (const { path, message } of checked.error?.issues ?? []) {
    const name = String(path[0]);
    faults.push(`${described(name, schema.shape[name], given.get(name))}: ${message}`);
  }
  if (!checked.success || faults.length > 0) {
    throw new ArgumentError(`settings: ${[...new Set(faults)].join('; ')}`);
  }
  return checked.data;
}

/**
 * The source and text of a setting, if given; problems with a secret's file are added to `faults`.
 */
function givenOf(
  name: string,
  type: z.ZodType,
  flags: Flags,
  env: Environment,
  faults: string[],
): Given | undefined {
  const flag = flagOf(name, type);
  const ofFlag = flag === null ? undefined : flags[attributeOf(flag)];
  if (typeof ofFlag === 'string' && ofFlag.trim()) return { text: ofFlag, as: flag! };
  const ofVariable = env[name]?.trim() ? { text: env[name], as: name } : undefined;
  const file = aboutOf(type).secret ? env[`${name}_FILE`] : undefined;
  if (!file?.trim()) return ofVariable;
  if (ofVariable) faults.push(`${name} and ${name}_FILE: give only one of them`);
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') return { text, as: `${name}_FILE` };
    faults.push(`${name}_FILE="${file}": is empty`);
  } catch (error) {
    faults.push(`${name}_FILE="${file}": cannot be read (${systemCode(error)})`);
  }
  return ofVariable;
}

/** The parser's name of a flag: `--base-url` is `baseUrl`. */
function attributeOf(flag: string): string {
  return flag.slice(2).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** A setting as shown in an error. */
function described(name: string, type: z.ZodType, given: Given | undefined): string {
  if (!given) return [flagOf(name, type), name].filter(Boolean).join(' or ');
  const { secret, redact } = aboutOf(type);
  if (secret && !redact) return given.as;
  return `${given.as}="${redact ? redact(given.text) : given.text}"`;
}

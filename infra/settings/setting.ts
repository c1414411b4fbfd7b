import { z } from 'zod';

/** Documentation of a setting. */
interface About {
  /** A short description. */
  readonly description: string;
  /** Flag of the setting, by default derived from the name; `null` if only a variable exists. */
  readonly flag?: string | null;
  /** Placeholder for the value in help, such as `<n>`. */
  readonly value?: string;
  /**
   * The value may also be given in a file named by `NAME_FILE`. The setting has no flag unless
   * `flag` names one. The value is shown as formatted by `redact`, or else never.
   */
  readonly secret?: true;
  /** Formats the value for display, if it differs from the text or is partly secret. */
  readonly redact?: (text: string) => string;
  /** Behaviour when unset, if there is no default value. */
  readonly whenUnset?: string;
  /** Settings that must be given along with this one. */
  readonly needs?: readonly string[];
}

const ABOUT = z.registry<About>();

/** Attaches documentation to a setting's type. */
export function setting<T extends z.ZodType>(type: T, about: About): T {
  ABOUT.add(type, about);
  return type;
}

export function aboutOf(type: z.core.$ZodType): About {
  const about = ABOUT.get(type);
  if (!about) throw new Error('settings must be created with setting()');
  return about;
}

/** Returns the flag of a setting, such as `--base-url`; `null` if it has none. */
export function flagOf(name: string, type: z.core.$ZodType): string | null {
  const { secret, flag = secret ? null : `--${name.toLowerCase().replaceAll('_', '-')}` } =
    aboutOf(type);
  return flag;
}

/**
 * Returns the default of a setting, or its behaviour when unset, as text; `null` if it has neither.
 */
export function defaultOf(type: z.core.$ZodType): string | null {
  if (type instanceof z.ZodPrefault) return String(type.def.defaultValue);
  return aboutOf(type).whenUnset ?? null;
}

import { z } from 'zod';

/** What a person is told of a setting. */
export interface About {
  /** What it is, in a few words. */
  readonly says: string;
  /** The flag that says the same, by default made of the name; `null` where only a variable may. */
  readonly flag?: string | null;
  /** What stands for a value in help, such as `<n>`. */
  readonly value?: string;
  /** It may be in a file instead, named by `NAME_FILE`, has no flag, and is shown to nobody. */
  readonly secret?: true;
  /** As it may be shown, where that is not as it is, or it is a secret in part only. */
  readonly shown?: (text: string) => string;
  /** What holds without it, where that is no value of its own. */
  readonly otherwise?: string;
  /** Settings that it is of no use without. */
  readonly needs?: readonly string[];
}

const ABOUT = z.registry<About>();

/** A setting: how its text is read, and what is told of it. */
export function setting<T extends z.ZodType>(type: T, about: About): T {
  ABOUT.add(type, about);
  return type;
}

export function aboutOf(type: z.core.$ZodType): About {
  const about = ABOUT.get(type);
  if (!about) throw new Error('a setting is made by setting()');
  return about;
}

/** Its flag, such as `--base-url`; `null` for one that has none. */
export function flagOf(name: string, type: z.core.$ZodType): string | null {
  const { secret, flag = secret ? null : `--${name.toLowerCase().replaceAll('_', '-')}` } =
    aboutOf(type);
  return flag;
}

/**
 * What holds where it is not given, as a person would write it; `null` if it must be, or may be
 * missing.
 */
export function defaultOf(type: z.core.$ZodType): string | null {
  if (type instanceof z.ZodPrefault) return String(type.def.defaultValue);
  return aboutOf(type).otherwise ?? null;
}

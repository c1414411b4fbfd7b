/** The nouns of a type's name, such as `Museums` and `galleries`, and what follows them. */
function partsOf(typeName: string) {
  const [, nouns, more = ''] = /^(.+?)( (?:of|under|\().*)?$/.exec(typeName)!;
  const kinds = nouns.split(/, | and /);
  return { nouns, more, kinds, isPlural: kinds.every((kind) => kind.endsWith('s')) };
}

/**
 * The singular of a type's name in a sentence: `grocery store`, `park of 2.5 to 25 acres`, `place
 * of worship`; null for a name of several things, such as `Museums and galleries`.
 */
function singular(typeName: string): string | null {
  const { nouns, more, kinds, isPlural } = partsOf(typeName);
  if (isPlural && kinds.length > 1) return null;
  const one = nouns
    .replace(/ies$/, 'y')
    .replace(/(?<=ch|sh|x|ss)es$/, '')
    .replace(/(?<![s])s$/, '');
  const which = more.replace(' and more', ' or more').replace(' (any)', '');
  return isPlural ? lowered(one) + which : `place of ${lowered(nouns)}${which}`;
}

/** In lower case, but for a name that begins with an abbreviation. */
export function lowered(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
}

/** `the nearest grocery store`; `the nearest of all museums and galleries`. */
export function nearestOf(typeName: string): string {
  return `the nearest ${singular(typeName) ?? `of all ${lowered(typeName)}`}`;
}

/** Names counted POIs of a type: `grocery stores`; `places of eating and drinking`. */
export function placesOf(typeName: string): string {
  return partsOf(typeName).isPlural ? lowered(typeName) : `places of ${lowered(typeName)}`;
}

/** `a grocery store`; `any of the museums and galleries`. */
export function anyOf(typeName: string): string {
  const one = singular(typeName);
  if (one === null) return `any of the ${lowered(typeName)}`;
  return `${/^[aeio]|^A/.test(one) ? 'an' : 'a'} ${one}`;
}

import type { Tags } from '../osm/tags.ts';

/** Who runs a school, where it is told: these are public. */
const PUBLIC = new Set(['public', 'government']);
const PUBLIC_OPERATOR =
  /\bpublic schools?\b|\b(?:city|county) schools\b|\bschool (?:district|board)\b|\bparish school system\b/i;

/** Words that only schools of a faith have in their names. */
const FAITH = new RegExp(
  [
    String.raw`\b(?:catholic|christian|lutheran|baptist|episcopal|methodist|presbyterian|adventist)\b`,
    String.raw`\b(?:jesuit|quaker|mennonite|calvinist|(?:arch)?dioces(?:e|an)|parochial)\b`,
    String.raw`\b(?:hebrew|jewish|yeshivas?|yeshivat|talmud(?:ical)?|torah|islamic|muslim|quranic)\b`,
    String.raw`\b(?:our lady|sacred heart|immaculate|holy|blessed|notre dame|assumption|annunciation)\b`,
    String.raw`\b(?:bible|gospel|redeemer|nativity|archbishop)\b`,
  ].join('|'),
  'i',
);
/** Places with such words in their names, where public schools have them too. */
const PLACE =
  /\b(?:pass christian|christian county|(?:quaker|baptist) (?:valley|hill|ridge|farms))\b/gi;
/** A parish is of a church where the school is its own: in Louisiana it is a county. */
const PARISH_SCHOOL = /\bparish school\b(?! (?:board|system))/i;
/**
 * Named after a saint, which public schools may be too, of a town of that name: they tell a level,
 * and belong to no saint (`Saint Mary's`).
 */
const SAINT = /^(?:the )?(?:saints?|sts?\.?) (?=\S)/i;
const OF_A_SAINT = /^(?:the )?(?:saints?|sts?\.?) [^\s'’]+['’]/i;
const LEVEL = /\b(?:elementary|primary|middle|intermediate|high|secondary)\b/i;
const PUBLIC_NAME = /\b(?:public|charter|county)\b/i;

/** Whether a school is public, by its operator. */
export function isPubliclyRun(tags: Tags): boolean {
  const operator = tags.get('operator') ?? '';
  return PUBLIC.has(tags.get('operator:type') ?? '') || PUBLIC_OPERATOR.test(operator);
}

/**
 * Whether a school is of a faith, by its `religion` or `denomination`, or by its name; not where
 * its operator is public.
 */
export function isReligiousSchool(tags: Tags): boolean {
  const operator = tags.get('operator') ?? '';
  if (isPubliclyRun(tags)) return false;
  if (tags.has('religion') || tags.has('denomination')) return true;
  const name = tags.get('name') ?? '';
  if ([name, operator].some((words) => FAITH.test(words.replaceAll(PLACE, '')))) return true;
  if (PARISH_SCHOOL.test(name)) return true;
  if (!SAINT.test(name) || PUBLIC_NAME.test(name)) return false;
  return OF_A_SAINT.test(name) || !LEVEL.test(name);
}

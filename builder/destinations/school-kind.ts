import type { Tags } from '../osm/tags.ts';
import { SCHOOL_LEVELS } from './school-levels.ts';

const PUBLIC = new Set(['public', 'government']);
const PUBLIC_OPERATOR =
  /\bpublic schools?\b|\b(?:city|county) schools\b|\bschool (?:district|board)\b|\bparish school system\b/i;

/** Words that occur only in the names of religious schools. */
const FAITH = new RegExp(
  [
    String.raw`\b(?:catholic|christian|lutheran|baptist|episcopal|methodist|presbyterian|adventist)\b`,
    String.raw`\b(?:jesuit|quaker|mennonite|calvinist|(?:arch)?dioces(?:e|an)|parochial)\b`,
    String.raw`\b(?:hebrew|jewish|yeshivas?|yeshivat|talmud(?:ical)?|torah|islamic|muslim|quranic)\b`,
    String.raw`\b(?:our lady|sacred heart|immaculate|holy|blessed|notre dame|assumption|annunciation)\b`,
    String.raw`\b(?:bible|gospel|redeemer|nativity|archbishop|resurrection|nazarene|amish)\b`,
    String.raw`\b(?:good shepherd|mater dei|our savio(?:u)?r|friends (?:school|academy))\b`,
    String.raw`\bqueen of (?:peace|heaven|angels|apostles|martyrs|(?:the|all) \w+)\b`,
    String.raw`\b(?:(?:bais|beis|beth) (?:yaakov|tfiloh|medrash|el|israel)|bnos|cheder|yeshivath)\b`,
  ].join('|'),
  'i',
);
/** Place names that contain words of a faith, and occur in names of public schools too. */
const PLACE =
  /\b(?:pass christian|christian county|(?:quaker|baptist) (?:valley|hill|ridge|farms))\b/gi;
/** A parish school belongs to a church; in Louisiana a parish is a county. */
const PARISH_SCHOOL = /\bparish school\b(?! (?:board|system))/i;
/**
 * Names that begin with a saint. Names of public schools in towns named after saints do too, but
 * they contain a level and no possessive (`Saint Mary's`).
 */
const SAINT = /^(?:the )?(?:saints?\s|s[st]s?(?:\.\s?|\s))(?=\S)/i;
const OF_A_SAINT = /^(?:the )?(?:saints?\s|s[st]s?(?:\.\s?|\s))[^\s'’]+['’]/i;
const LEVEL_WORD = String.raw`\b(?:elementary|elem|primary|middle|intermediate|high|secondary)\b`;
/** Grades before the first, which count as 0: preschool, transitional kindergarten. */
const BEFORE_FIRST = 'pre-?k[34]?|pk[34]?|p|tk|ece?|kg|k';
/** Grades in a name, as in "K-8 School". */
const GRADES = String.raw`\b(?:${BEFORE_FIRST}|kindergarten)\s?(?:-|–|to|through|thru)\s?\d{1,2}\b`;
const TELLS_LEVEL = new RegExp(`${LEVEL_WORD}|${GRADES}`, 'i');
/** Places named after saints that hardly any church is named after. */
const PLACE_ALONE = 'cloud|croix|lucie|johnsbury|petersburg|tammany|clairsville';
/**
 * Towns with the same name as many churches, and words that follow it in names of public schools.
 */
const TOWN = 'paul|louis|albans|augustine|charles|george|helens|johns|joseph';
const AFTER_TOWN =
  'city|north|south|east|west|math|mathematics|science|language|music|magnet|technical|technology|stem|career|alternative';
const SAINTLY_PLACE = new RegExp(
  String.raw`^(?:the )?(?:saint|st\.?)\s?(?:(?:${PLACE_ALONE})|(?:${TOWN})\s+(?:${AFTER_TOWN}))\b(?!['’])`,
  'i',
);
/**
 * Words that follow "Christian" where it means the faith; before any other word it is a given name.
 */
const AFTER_FAITH = [
  'schools?|academy|academies|college|university|institute|campus|center|centre|preschool|day',
  'elementary|elem|primary|lower|middle|intermediate|junior|jr|senior|sr|high|secondary|upper',
  'grade|grammar|k|pre|prep|preparatory|early|learning|education|educational|classical|bilingual',
  'life|faith|hope|love|light|heritage|liberty|leadership|fellowship|brothers|family|community',
  'church|temple|tabernacle|covenant|reformed|union|unified|central|international|and|of|for|in|at',
  'north|south|east|west|montessori|child|children|childrens|home|world|training|ministries',
].join('|');
/**
 * The given name "Christian" in the name of a school with a level: "Hans Christian Andersen
 * Elementary".
 */
const GIVEN_NAME = new RegExp(
  String.raw`\bchristian\s+(?!(?:${AFTER_FAITH})\b)(?=\p{L}+\b.*${LEVEL_WORD})`,
  'giu',
);
const PUBLIC_NAME = /\b(?:public|charter|county)\b/i;

function isPubliclyRun(tags: Tags): boolean {
  const operator = tags.get('operator') ?? '';
  return PUBLIC.has(tags.get('operator:type') ?? '') || PUBLIC_OPERATOR.test(operator);
}

/**
 * Whether a school is religious, by its `religion` or `denomination`, or by its name; false if its
 * operator is public.
 */
export function isReligiousSchool(tags: Tags): boolean {
  const operator = tags.get('operator') ?? '';
  if (isPubliclyRun(tags)) return false;
  if (tags.has('religion') || tags.has('denomination')) return true;
  const name = tags.get('name') ?? '';
  if ([name, operator].some((words) => FAITH.test(withoutNames(words)))) return true;
  if (PARISH_SCHOOL.test(name)) return true;
  if (!SAINT.test(name) || PUBLIC_NAME.test(name) || SAINTLY_PLACE.test(name)) return false;
  return OF_A_SAINT.test(name) || !TELLS_LEVEL.test(name);
}

/** A name without places and given names that contain words of a faith. */
function withoutNames(words: string): string {
  return words.replaceAll(PLACE, '').replaceAll(GIVEN_NAME, '');
}

const UNKNOWN = 'schools_level_unknown';

/**
 * The labels of the levels a school teaches: by `isced:level`, else by its tagged grades, else by
 * its name; `schools_level_unknown` if none of them gives any.
 */
export function schoolLevels(tags: Tags): string[] {
  const isced = range(tags.get('isced:level'));
  if (isced) {
    const taught = SCHOOL_LEVELS.filter(
      ({ isced: level }) => isced[0] <= level && isced[1] >= level,
    );
    if (taught.length > 0) return taught.map((level) => level.label);
  }
  const grades = range(tags.get('grades') ?? tags.get('school:grades'));
  if (grades) {
    return levelsOf(grades);
  }
  const name = tags.get('name') ?? '';
  // "Elementary/Middle" is both. "Junior high" is a middle school, not a high school.
  const named = SCHOOL_LEVELS.filter((level) => level.words.test(name));
  if (named.length > 0) return named.map((level) => level.label);
  const namedGrades = range(GRADES_IN_NAME.exec(name)?.[0]);
  return namedGrades ? levelsOf(namedGrades) : [UNKNOWN];
}

const GRADES_IN_NAME = new RegExp(GRADES, 'i');

function levelsOf([from, to]: GradeRange): string[] {
  return SCHOOL_LEVELS.filter((level) => from <= level.toGrade && to >= level.fromGrade).map(
    (level) => level.label,
  );
}

type GradeRange = readonly [from: number, to: number];
const KINDERGARTEN = new RegExp(String.raw`\b(?:${BEFORE_FIRST})\b`, 'gi');

/**
 * Parses `K-8`, `Pre-K-5`, `PK3-8`, `9;10;11;12` (or ISCED's `1-2`, `1;2`) into the first and last
 * grade, with kindergarten as 0; undefined for any other text.
 */
function range(text: string | undefined): GradeRange | undefined {
  if (!text) return undefined;
  const grades = text
    .replaceAll(KINDERGARTEN, '0')
    .split(/[-–;,\s]+/)
    .map((part) => {
      const grade = /^\d{1,2}$/.test(part) ? Number(part) : Number.NaN;
      return grade <= 12 ? grade : Number.NaN;
    });
  if (grades.some(Number.isNaN)) return undefined;
  return [Math.min(...grades), Math.max(...grades)];
}

/** Kinds of elements tagged as schools: `school`, or the label of another leaf. */
type SchoolKind = 'school' | 'universities' | 'colleges' | 'kindergartens' | 'childcare';

/** Keys that only schools for children have, whatever their name. */
const OF_CHILDREN = ['isced:level', 'grades', 'school:grades', 'school:type'];

/** Words in a name that indicate a school for children: levels, grades, and operators. */
const LEVEL = new RegExp(
  [
    String.raw`\b(?:elementary|primary|middle|intermediate|high|secondary|grammar|grade)\b`,
    String.raw`\b(?:charter|magnet|preparatory|prep|early college|public(?! (?:health|policy|affairs)))\b`,
    GRADES,
  ].join('|'),
  'i',
);

const PROFESSIONS =
  'public health|medicine|nursing|law|dentistry|dental medicine|pharmacy|social work|divinity|theology|optometry|veterinary medicine';
const FACULTY = new RegExp(String.raw`\bschool of (?:${PROFESSIONS})\b`, 'i');
const HIGHER = /\b(?:university|college)\b/i;
/** Words in names of schools near universities and colleges, or of places named after them. */
const NOT_HIGHER = new RegExp(
  String.raw`\bschools?\b(?! of (?:${PROFESSIONS})\b)|\b(?:academy|laboratory|park|heights?|hills?|gardens|grove|place|station|view)\b`,
  'i',
);
const CALLED_COLLEGE = /^baltimore city college$/i;

const PRESCHOOL =
  /\b(?:pre-?schools?|nursery schools?|kindergarten|head start|early (?:childhood|learning)|pre-?k(?:indergarten)?)\b/i;
const CHILDCARE = /\b(?:day ?care|child ?care|child development)\b/i;

/** Subjects of lessons outside school, or for a trade. */
const LESSONS = new RegExp(
  [
    String.raw`\b(?:tae ?kwon[ -]?do|karate|judo|ji?u[ -]?jitsu|kung[ -]?fu|aikido|krav maga|martial arts?|dojo|kick ?boxing|boxing)\b`,
    String.raw`\b(?:dance|dancing|ballet|gymnastics|cheer|swim|swimming|yoga|riding|equestrian|obedience)\b`,
    String.raw`\b(?:driving|driver'?s? (?:ed|education|training)|traffic|flight|flying|bartending|culinary|cooking)\b`,
    String.raw`\b(?:cosmetology|beauty|barber|barbering|hairdressing|massage|real estate)\b`,
    String.raw`\b(?:school of (?:music|rock)|music (?:school|lessons)|tutoring|kumon|mathnasium|sylvan)\b`,
  ].join('|'),
  'i',
);
/** Endings of names that do not belong to schools, though their bearers may adjoin one. */
const NO_SCHOOL =
  /\b(?:apartments?|condominiums?|condos?|townhomes?|lofts|residences|foundation|administration(?: building)?|headquarters|board of education|district office|museum|stadium|gymnasium)$/i;
const HOUSING = new Set(['apartments', 'residential', 'house', 'detached', 'terrace']);
const TEACHES = /\b(?:schools?|academy|institute|seminary|yeshiva|learning|center)\b/i;

/**
 * Returns the kind of an element tagged as a school, by its name, its operator, and its tags for
 * levels, grades and housing. Universities, colleges, preschools and childcare are tagged as
 * schools too, as are lessons, houses and offices, for which the kind is null.
 */
export function schoolKind(tags: Tags): SchoolKind | null {
  const name = (tags.get('name') ?? '').trim();
  if (NO_SCHOOL.test(name)) return null;
  if (OF_CHILDREN.some((key) => tags.has(key)) || isPubliclyRun(tags)) return 'school';
  if (HOUSING.has(tags.get('building') ?? '') && name !== '' && !TEACHES.test(name)) return null;
  if (LEVEL.test(name)) return 'school';
  if (FACULTY.test(name)) return 'universities';
  if (HIGHER.test(name) && !NOT_HIGHER.test(name) && !CALLED_COLLEGE.test(name)) {
    return /\buniversity\b/i.test(name) ? 'universities' : 'colleges';
  }
  if (PRESCHOOL.test(name)) return 'kindergartens';
  if (CHILDCARE.test(name)) return 'childcare';
  return LESSONS.test(name) ? null : 'school';
}

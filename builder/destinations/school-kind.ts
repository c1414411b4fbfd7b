import type { Tags } from '../osm/tags.ts';
import { isPubliclyRun } from './religious-school.ts';

/** What is mapped as a school may be, by the labels of leaves; null: nothing that anybody goes to. */
export type SchoolKind = 'school' | 'universities' | 'colleges' | 'kindergartens' | 'childcare';

/** Tags of schools that teach children, whatever their names say. */
const OF_CHILDREN = ['isced:level', 'grades', 'school:grades', 'school:type'];

/** Words of a name that say so: levels, grades, and who runs it. */
const LEVEL = new RegExp(
  [
    String.raw`\b(?:elementary|primary|middle|intermediate|high|secondary|grammar|grade)\b`,
    String.raw`\b(?:charter|magnet|preparatory|prep|early college|public(?! (?:health|policy|affairs)))\b`,
    String.raw`\b(?:pk|pre-?k|k|kindergarten)\s?(?:-|–|to|through|thru)\s?\d`,
  ].join('|'),
  'i',
);

const PROFESSIONS =
  'public health|medicine|nursing|law|dentistry|dental medicine|pharmacy|social work|divinity|theology|optometry|veterinary medicine';
const FACULTY = new RegExp(String.raw`\bschool of (?:${PROFESSIONS})\b`, 'i');
const HIGHER = /\b(?:university|college)\b/i;
/** Schools and academies near such, or in places called after them. */
const NOT_HIGHER = new RegExp(
  String.raw`\bschools?\b(?! of (?:${PROFESSIONS})\b)|\b(?:academy|laboratory|park|heights?|hills?|gardens|grove|place|station|view)\b`,
  'i',
);
/** High schools that are called colleges. */
const CALLED_COLLEGE = /^baltimore city college$/i;

const PRESCHOOL =
  /\b(?:pre-?schools?|nursery schools?|kindergarten|head start|early (?:childhood|learning)|pre-?k(?:indergarten)?)\b/i;
const CHILDCARE = /\b(?:day ?care|child ?care|child development)\b/i;

/** What people learn beside school, or for a trade. */
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
/** What a name ends in that is of no school, though it may be beside one. */
const NO_SCHOOL =
  /\b(?:apartments?|condominiums?|condos?|townhomes?|lofts|residences|foundation|administration(?: building)?|headquarters|board of education|district office|museum|stadium|gymnasium)$/i;
const HOUSING = new Set(['apartments', 'residential', 'house', 'detached', 'terrace']);
const TEACHES = /\b(?:schools?|academy|institute|seminary|yeshiva|learning|center)\b/i;

/**
 * What a thing is that is tagged as a school, where nothing but its name and its operator tell:
 * universities, colleges, preschools and childcare are mapped so too, and lessons, houses and offices,
 * which are null.
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

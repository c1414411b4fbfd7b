import type { Tags } from '../osm/tags.ts';
import { SCHOOL_LEVELS } from './taxonomy.ts';

const UNKNOWN = 'schools_level_unknown';

/**
 * The labels of the levels a school teaches: by `isced:level`, else by the grades it is tagged
 * with, else by its name; `schools_level_unknown` when none of them tells.
 */
export function schoolLevels(tags: Tags): string[] {
  const isced = tags.get('isced:level')?.split(/[;,\s]+/);
  if (isced) {
    const taught = SCHOOL_LEVELS.filter((level) =>
      level.isced.some((code) => isced.includes(code)),
    );
    if (taught.length > 0) return taught.map((level) => level.label);
  }
  const grades = gradeRange(tags.get('grades') ?? tags.get('school:grades'));
  if (grades) {
    const [from, to] = grades;
    return SCHOOL_LEVELS.filter((level) => from <= level.toGrade && to >= level.fromGrade).map(
      (level) => level.label,
    );
  }
  const name = tags.get('name') ?? '';
  // "Elementary/Middle" is both. "Junior high" is a middle school and no high school.
  const named = SCHOOL_LEVELS.filter((level) => level.words.test(name));
  return named.length > 0 ? named.map((level) => level.label) : [UNKNOWN];
}

/** `K-8`, `PK-5`, `6-8`, `9;10;11;12` as grades, kindergarten 0; undefined if it is none of that. */
function gradeRange(text: string | undefined): [from: number, to: number] | undefined {
  if (!text) return undefined;
  const grades = text.split(/[-–;,\s]+/).map((part) => {
    if (/^(pk|pre-?k|k)$/i.test(part)) return 0;
    const grade = /^\d{1,2}$/.test(part) ? Number(part) : Number.NaN;
    return grade <= 12 ? grade : Number.NaN;
  });
  if (grades.some(Number.isNaN)) return undefined;
  return [Math.min(...grades), Math.max(...grades)];
}

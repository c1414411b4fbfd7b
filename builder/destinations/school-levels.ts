import type { Tags } from '../osm/tags.ts';
import { SCHOOL_LEVELS } from './taxonomy.ts';

const UNKNOWN = 'schools_level_unknown';

/**
 * The labels of the levels a school teaches: by `isced:level`, else by the grades it is tagged
 * with, else by its name; `schools_level_unknown` when none of them tells.
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

/**
 * `K-8`, `Pre-K-5`, `9;10;11;12` (or ISCED's `1-2`, `1;2`) as first and last, kindergarten being 0;
 * undefined if it is none of that.
 */
function range(text: string | undefined): [from: number, to: number] | undefined {
  if (!text) return undefined;
  const kindergarten = /\b(pk|pre-?k|kg|k)\b/gi;
  const grades = text
    .replaceAll(kindergarten, '0')
    .split(/[-–;,\s]+/)
    .map((part) => {
      const grade = /^\d{1,2}$/.test(part) ? Number(part) : Number.NaN;
      return grade <= 12 ? grade : Number.NaN;
    });
  if (grades.some(Number.isNaN)) return undefined;
  return [Math.min(...grades), Math.max(...grades)];
}

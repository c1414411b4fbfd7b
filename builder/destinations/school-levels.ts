/** Matches "Junior" in "Junior High", but not in "Martin Luther King Junior High School". */
const JUNIOR = String.raw`(?<!\bking\W+)\b(junior|jr)`;

/** Pattern of schools named by number, as in New York: "P.S. 12", "PS/IS 89", "J.H.S. 145". */
function byNumber(level: string): string {
  const other = String.raw`[jp]?\.?[phims]\.?h?\.?s\.?`;
  return String.raw`(?<![\w.])(?:${other}\W)?(?:${level})(?:\W{1,3}${other})? ?#?\d+`;
}

/** Levels of schools, by grades, with kindergarten as 0. A K-8 school has two levels. */
export const SCHOOL_LEVELS: readonly {
  readonly label: string;
  readonly fromGrade: number;
  readonly toGrade: number;
  readonly isced: number;
  readonly words: RegExp;
}[] = [
  {
    label: 'elementary_schools',
    fromGrade: 0,
    toGrade: 5,
    isced: 1,
    words: new RegExp(
      String.raw`\b(elementary|elem|elemental|primary|primaria|(grade|grammar|lower) sch(ool)?)\b|${byNumber(String.raw`p\.?s\.?`)}`,
      'i',
    ),
  },
  {
    label: 'middle_schools',
    fromGrade: 6,
    toGrade: 8,
    isced: 2,
    words: new RegExp(
      String.raw`\b(middle|intermediate|intermedia)\b(?! river| branch| creek| township| island| village)|${JUNIOR}\W*((senior|sr)\W*)?high\b|${byNumber(String.raw`[im]\.?s\.?|j\.?h\.?s\.?`)}`,
      'i',
    ),
  },
  {
    label: 'high_schools',
    fromGrade: 9,
    toGrade: 12,
    isced: 3,
    words: new RegExp(
      String.raw`(?<!${JUNIOR}\W*)\bhigh\b(?= sch(ool)?\b|\W*$)|\b(secondary|secundaria|escuela superior|upper sch(ool)?)\b|${byNumber(String.raw`h\.?s\.?`)}`,
      'i',
    ),
  },
];

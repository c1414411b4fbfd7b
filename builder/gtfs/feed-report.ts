import { withCommas } from '../../shards/number-words.ts';

/** Rows of a feed's table that could not be used unchanged, all for one reason. */
export interface FeedProblem {
  readonly file: string;
  /** The problem, and how it was handled. */
  readonly problem: string;
  readonly rows: number;
  readonly first_line: number;
}

/** Counts the problems of a feed, so that nothing is dropped silently. */
export class FeedReport {
  readonly #problems = new Map<string, { -readonly [K in keyof FeedProblem]: FeedProblem[K] }>();

  add(file: string, line: number, problem: string): void {
    const key = `${file}\0${problem}`;
    const known = this.#problems.get(key);
    if (known) known.rows++;
    else this.#problems.set(key, { file, problem, rows: 1, first_line: line });
  }

  get problems(): readonly FeedProblem[] {
    return [...this.#problems.values()];
  }

  noteProblems(note: (line: string) => void): void {
    for (const problem of this.problems) note(describeProblem(problem));
  }
}

/** Problems that are named with a feed that cannot be used. */
const WORST_PROBLEMS = 3;

/** Appends the problems of the most rows to the reason why a feed cannot be used. */
export function withProblems(reason: string, problems: readonly FeedProblem[]): string {
  const most = problems.toSorted((a, b) => b.rows - a.rows).slice(0, WORST_PROBLEMS);
  return [reason, ...most.map(describeProblem)].join('; ');
}

function describeProblem({ file, problem, rows, first_line }: FeedProblem): string {
  return `${file}: ${withCommas(rows)} × ${problem} (first in line ${first_line})`;
}

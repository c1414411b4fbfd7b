import { createHash } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { Instrumenter } from '@stryker-mutator/instrumenter';

// Shared by the command, the configuration of Vitest and the test runner, in three processes.

/**
 * Instruments source files: every mutant of a file is in its text, behind a switch. Returns the
 * texts, and the mutants with a key that stays the same while the file is unchanged.
 */
export async function instrument(names) {
  const silent = { debug() {}, info() {}, warn() {}, error() {}, isDebugEnabled: () => false };
  const files = await Promise.all(
    names.map(async (name) => ({ name, mutate: true, content: await readFile(name, 'utf8') })),
  );
  const options = { plugins: null, ignorers: [], excludedMutations: [] };
  const made = await new Instrumenter(silent).instrument(files, options);
  const contents = new Map(files.map(({ name, content }) => [name, content]));
  const mutants = made.mutants.map(({ id, fileName, location, mutatorName, replacement }) => {
    const content = contents.get(fileName);
    const { start, end } = location;
    const parts = [
      content,
      mutatorName,
      replacement,
      start.line,
      start.column,
      end.line,
      end.column,
    ];
    const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
    return {
      id,
      key,
      fileName,
      line: start.line + 1,
      original: between(content, start, end),
      replacement,
    };
  });
  return {
    texts: Object.fromEntries(made.files.map(({ name, content }) => [name, content])),
    mutants,
  };
}

function between(text, start, end) {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column);
  lines[0] = lines[0].slice(start.column);
  return lines.join('\n');
}

/**
 * The outcomes so far, by key of the mutant: the test that killed it, or null if it survived a test
 * file that covers it. `running`: the mutant that the last run was at. `doubtful`: kills that were
 * taken back. `breaks`: how often a run ended because its process was broken.
 */
export async function outcomesIn(journal) {
  const text = await readFile(journal, 'utf8').catch(() => '');
  const [outcomes, doubtful] = [new Map(), new Set()];
  let [running, breaks] = [null, 0];
  for (const line of text.split('\n').slice(0, -1)) {
    const entry = JSON.parse(line);
    running = entry.began ?? null;
    if (entry.key !== undefined && !outcomes.get(entry.key)) outcomes.set(entry.key, entry.killer);
    if (entry.broken === undefined) continue;
    breaks++;
    for (const key of entry.doubtful) {
      outcomes.delete(key);
      doubtful.add(key);
    }
  }
  return { outcomes, running, doubtful, breaks };
}

/** Adds a line to a journal. */
export function note(journal, entry) {
  return appendFile(journal, `${JSON.stringify(entry)}\n`);
}

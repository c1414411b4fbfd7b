import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../infra/cli/program.ts';

const FOLDERS = ['infra/docs', 'infra/docs/recipes'];
const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'infra/monitoring/RUNBOOK.md',
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.join(folder, name)),
  ),
];

/** The commands in the code of a document: lines of blocks, continued ones as one, and spans. */
function commandsIn(document: string): string[] {
  const text = readFileSync(document, 'utf8').replaceAll(/\\\n\s*/g, ' ');
  const fenced = [...text.matchAll(/^```[a-z]*\n([\s\S]*?)^```/gm)].map(([, lines]) => lines);
  const inline = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g);
  const code = [
    ...fenced.flatMap((lines) => lines.split('\n')),
    ...[...inline].map(([, one]) => one),
  ];
  return code.flatMap((line) =>
    [...line.matchAll(/(?:^|[\s/])tta ((?:[^#|&;)]|\S#)+)/g)].map(([, rest]) => rest.trim()),
  );
}

/** Splits a command as a shell does: words, quoted or not. */
const wordsOf = (line: string): string[] => line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];

/** Says why the program has no such command or option; null if it has. */
async function faultOf(line: string): Promise<string | null> {
  const words = wordsOf(line);
  let command: Command = await createProgram(words);
  const passed = [command];
  let at = 0;
  while (at < words.length && command.commands.length > 0) {
    const next = command.commands.find((one) => one.name() === words[at]);
    if (!next) break;
    command = next;
    passed.push(command);
    at++;
  }
  if (at === 0) return /^[a-z]/.test(words[0]) ? 'no such command' : null;
  if (command.commands.length > 0 && /^[a-z]/.test(words[at] ?? '')) return 'no such subcommand';
  const flags = words.slice(at).flatMap((word) => word.match(/^--?[a-z][\w-]*/g) ?? []);
  // Options of a command may follow its subcommand.
  const options = passed.flatMap((one) => one.options);
  const known = new Set(options.flatMap(({ long, short }) => [long, short]));
  const unknown = flags.filter((flag) => !known.has(flag) && flag !== '--help');
  return unknown.length === 0 ? null : `no option ${unknown.join(', ')}`;
}

test.each(DOCUMENTS)(
  'the program has every command that %s names, with its options',
  async (document) => {
    const faults = [];
    for (const line of commandsIn(document)) {
      const fault = await faultOf(line);
      if (fault !== null) faults.push(`${line}: ${fault}`);
    }
    expect(faults).toEqual([]);
  },
);

test('the weekly refresh is told by commands', () => {
  const commands = commandsIn('infra/docs/refresh.md').map((line) => wordsOf(line)[0]);
  expect(new Set(commands)).toEqual(new Set(['refresh', 'build', 'release', 'export']));
});

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * `node indexed-build.js FILE`: in a pod of an indexed Job, runs `tta build` with the flags in the
 * line of FILE at the pod's index. Exits with the exit code of the build.
 */
const lines = readFileSync(process.argv[2], 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '');
const index = Number(process.env.JOB_COMPLETION_INDEX);
const flags = lines[index]?.trim().split(/\s+/);
if (flags === undefined) {
  process.stderr.write(`there are ${lines.length} builds, and none with index ${index}\n`);
  process.exit(2);
}
const tta = new URL('../cli/tta.js', import.meta.url).pathname;
const build = spawn(process.execPath, [tta, 'build', ...flags], { stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => build.kill(signal));
build.on('exit', (code) => process.exit(code ?? 1));

import process from 'node:process';
import { createProgram } from '../../dist/infra/cli/program.js';

/** Time that a command has to let go of what would keep its process alive. */
const LETS_GO_MS = 20_000;

/** Thrown in place of an exit. */
class Exit extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

process.exit = (code = process.exitCode ?? 0) => {
  throw new Exit(Number(code));
};

const written = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr']) {
  process[name].write = (chunk, encoding, done = encoding) => {
    written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
}

/** Counts what keeps this process alive, by kind. */
function held() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo())
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** The kinds of which more is held than before. */
function moreThan(before) {
  return [...held()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
}

/** Runs a command; returns its exit code. */
async function run(args) {
  process.exitCode = undefined;
  try {
    await (await createProgram(args)).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof Exit) return error.code;
    written.stderr += error.stack;
    return 1;
  }
  return Number(process.exitCode ?? 0);
}

process.on('message', async ({ args, env }) => {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  written.stdout = '';
  written.stderr = '';
  const before = held();
  let code = await run(args);
  // As a process of its own it would end only then.
  const begun = performance.now();
  while (moreThan(before).length > 0) {
    // A timer that is not counted itself.
    await new Promise((resolve) => setTimeout(resolve, 2).unref());
    if (performance.now() - begun < LETS_GO_MS) continue;
    code = -1;
    written.stderr += `does not end: ${moreThan(before).join('; ')}`;
    break;
  }
  process.send({ code, ...written });
});
process.send('ready');

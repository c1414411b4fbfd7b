import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startTests } from '@vitest/runner';
import { TestRunner } from 'vitest';
import { note, outcomesIn } from './mutants.js';

/** The object on which instrumented code looks up its switches. */
const switches = {};
globalThis.__stryker__ = switches;
/** Evaluations of a mutated expression, in multiples of those without a mutant, that count as endless. */
const ENDLESS = 100;
const HOOKS = 'hooks';

/**
 * Runs a test file once as it is, to see which test covers which mutants, and once for each mutant
 * that is still alive: only its tests, until the first that fails. Hooks run each time, so tests
 * begin from the same state. Modules are evaluated anew only for mutants in what runs on import.
 */
export default class MutantRunner extends TestRunner {
  onBeforeRunFiles() {
    switches.currentTestId = HOOKS;
  }

  onBeforeTryTask(test) {
    switches.currentTestId = test.id;
    super.onBeforeTryTask(test);
  }

  onAfterRunTask(test) {
    switches.currentTestId = HOOKS;
    super.onAfterRunTask(test);
  }

  async onAfterRunFiles(files) {
    await super.onAfterRunFiles(files);
    const { filepath } = files[0];
    const name = path.relative('', filepath);
    const { MUTANTS, JOURNAL } = process.env;
    const red = testsOf(files).find(({ result }) => result?.state === 'fail');
    if (red || files[0].result?.state === 'fail') {
      process.stdout.write(`${name} fails without a mutant: ${red?.name ?? 'in a hook'}\n`);
      return;
    }
    // A copy: mutated runs are counted, too.
    const coverage = structuredClone(switches.mutantCoverage ?? { static: {}, perTest: {} });
    const longestMs = Math.max(0, ...testsOf(files).map(({ result }) => result?.duration ?? 0));
    const quiet = this.#quiet(6_000 + 10 * longestMs);
    const again = await this.#coverageOfAnotherRun(quiet, filepath);
    const mutants = JSON.parse(await readFile(MUTANTS));
    const { outcomes, doubtful } = await outcomesIn(JOURNAL);
    let sinceIntact = [];
    for (const { id, key } of mutants) {
      if (outcomes.get(key)) continue;
      const covering = Object.keys(coverage.perTest).filter((test) => id in coverage.perTest[test]);
      if (!(id in coverage.static) && covering.length === 0) continue;
      // Hooks and tests import modules, too, but only once.
      const isStatic = !Object.values(again).some((ids) => id in ids);
      await note(JOURNAL, { began: key });
      const hits = [coverage.static, ...Object.values(coverage.perTest)].map((one) => one[id] ?? 0);
      const hitLimit = ENDLESS * hits.reduce((sum, count) => sum + count, 100);
      Object.assign(switches, { activeMutant: id, hitCount: 0, hitLimit });
      const runsAll = isStatic || covering.includes(HOOKS);
      const killer = await this.#failing(quiet, filepath, runsAll ? null : covering, isStatic);
      Object.assign(switches, { activeMutant: undefined, hitCount: undefined });
      if (isStatic) this.#forgetModules();
      await note(JOURNAL, { key, killer });
      if (killer === null) continue;
      sinceIntact.push(key);
      if (sinceIntact.length < 20 && !doubtful.has(key)) continue;
      if (!(await this.#isIntact(quiet, filepath, sinceIntact))) return;
      sinceIntact = [];
    }
    await this.#isIntact(quiet, filepath, sinceIntact);
  }

  /**
   * Whether the tests still pass without a mutant. If not, a mutant has left the process in a state
   * in which later tests fail: the kills since are doubtful, unless there is only one.
   */
  async #isIntact(quiet, filepath, sinceIntact) {
    if (sinceIntact.length === 0 || (await this.#failing(quiet, filepath, null, false)) === null) {
      return true;
    }
    const doubtful = sinceIntact.length === 1 ? [] : sinceIntact;
    await note(process.env.JOURNAL, { broken: path.relative('', filepath), doubtful });
    return false;
  }

  /** The mutants that each test covers once all modules have been imported. */
  async #coverageOfAnotherRun(quiet, filepath) {
    switches.mutantCoverage ??= {};
    // Modules keep a reference to this object.
    Object.assign(switches.mutantCoverage, { static: {}, perTest: {} });
    await this.#failing(quiet, filepath, null, false);
    return structuredClone(switches.mutantCoverage.perTest);
  }

  /** The first test that fails, or null. */
  async #failing(quiet, filepath, covering, isStatic) {
    if (isStatic) this.#forgetModules();
    const { evaluatedModules } = this.workerState;
    const file = evaluatedModules.getModuleById(filepath);
    if (file) evaluatedModules.invalidateModule(file);
    let failed = null;
    quiet.onBeforeRunFiles = (files) => {
      if (covering === null) return;
      for (const test of testsOf(files)) if (!covering.includes(test.id)) test.mode = 'skip';
    };
    quiet.onBeforeRunTask = async (test) => {
      if (failed !== null) test.mode = 'skip';
      await TestRunner.prototype.onBeforeRunTask.call(quiet, test);
    };
    quiet.onAfterRunTask = (test) => {
      if (test.result?.state === 'fail') failed ??= test.name;
      TestRunner.prototype.onAfterRunTask.call(quiet, test);
    };
    const [run] = await startTests([{ filepath }], quiet);
    if (failed === null && anyFails([run])) return 'a hook or an import';
    return failed;
  }

  /** This runner without reports, with limits for tests that hang. */
  #quiet(timeoutMs) {
    const quiet = Object.create(this);
    const nothing = async () => {};
    for (const report of [
      'onTaskUpdate',
      'onCollected',
      'onTaskAnnotate',
      'onTaskArtifactRecord',
    ]) {
      quiet[report] = nothing;
    }
    quiet.config = { ...this.config, testTimeout: timeoutMs, hookTimeout: timeoutMs, retry: 0 };
    quiet.onAfterRunFiles = () => TestRunner.prototype.onAfterRunFiles.call(this);
    return quiet;
  }

  #forgetModules() {
    const { evaluatedModules } = this.workerState;
    for (const [id, node] of evaluatedModules.idToModuleMap) {
      if (!id.includes('/node_modules/')) evaluatedModules.invalidateModule(node);
    }
  }
}

function testsOf(tasks) {
  return tasks.flatMap((task) => (task.type === 'test' ? [task] : testsOf(task.tasks)));
}

function anyFails(tasks) {
  return tasks.some(
    (task) => task.result?.state === 'fail' || (task.tasks !== undefined && anyFails(task.tasks)),
  );
}

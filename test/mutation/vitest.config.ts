import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

const { TEXTS, ROOM_TESTS } = process.env;
const texts: Record<string, string> = JSON.parse(readFileSync(TEXTS!, 'utf8'));

export default defineConfig({
  plugins: [
    {
      name: 'instrumented',
      enforce: 'pre',
      load: (id) => texts[path.relative('', id.split('?')[0])],
    },
  ],
  test: {
    globalSetup: ['test/support/demo-release.setup.ts'],
    setupFiles: ['test/mutation/no-shrinking.ts'],
    include: [ROOM_TESTS!],
    runner: 'test/mutation/mutant-runner.js',
    // Files run one after another, so that none tries a mutant that another has killed.
    fileParallelism: false,
    // Mutants leave errors unhandled, which says nothing about the tests.
    reporters: [{}],
    dangerouslyIgnoreUnhandledErrors: true,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 20_000 } },
  },
});

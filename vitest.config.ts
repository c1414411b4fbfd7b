import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/demo-release.setup.ts'],
    // Of a machine that has other things to do: what must be fast says so itself.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);

export default defineConfig({
  // What Node itself loads. Vite would take the entry that the package has for browsers.
  resolve: { alias: { shapefile: require.resolve('shapefile') } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/demo-release.setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});

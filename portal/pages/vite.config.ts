import { defineConfig } from 'vite';

/** The pages, put beside the compiled program that serves them. */
export default defineConfig({
  build: {
    outDir: '../../dist.next/portal/built-pages',
    emptyOutDir: true,
    // Of browsers that know `<dialog>` and nested CSS; script and style stay files, for the policy.
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
  logLevel: 'warn',
});

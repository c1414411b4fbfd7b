import { defineConfig } from 'vite';

/** Builds the pages next to the compiled program that serves them. */
export default defineConfig({
  build: {
    rolldownOptions: {
      input: { index: 'portal/pages/index.html', embed: 'portal/pages/embed.html' },
    },
    outDir: '../../dist.next/portal/built-pages',
    emptyOutDir: true,
    // Browsers with `<dialog>` and nested CSS; the content security policy requires scripts and
    // styles in files.
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // MapLibre is larger; it is loaded with the map.
    chunkSizeWarningLimit: 1_200,
  },
  logLevel: 'warn',
});

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const PAID_VIEWS = /views\/(?:reach|compare|catchment|sites)\/\w+-view\.ts$/;

/** Builds the pages next to the compiled program that serves them. */
export default defineConfig({
  plugins: [mapDocument(), compressed()],
  resolve: {
    alias: { fflate: path.resolve(import.meta.dirname, 'map/tiles/no-inflate.ts') },
  },
  build: {
    rolldownOptions: {
      input: { index: 'portal/pages/index.html', embed: 'portal/pages/embed.html' },
      output: {
        codeSplitting: {
          // One file of the views that need a key, since each file repeats what it may load.
          groups: [{ name: 'paid-views', test: PAID_VIEWS }],
          includeDependenciesRecursively: false,
        },
      },
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

/** The modules of which the first colours of the map consist. */
const FIRST = ['/map/shell/map-page.tsx', '/map/tiles/vector-tiles.ts'];

/**
 * Writes `map.html`: the document of all pages, which also loads the map's own script and style
 * with all that they import, so that they need not wait until the first script has run.
 */
function mapDocument(): Plugin {
  return {
    name: 'map-document',
    enforce: 'post',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const first = FIRST.map((end) => {
        const found = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(end)));
        if (found === undefined) throw new Error(`map-document: the build has no chunk of ${end}`);
        return found.fileName;
      });
      const document = bundle['index.html'];
      if (document?.type !== 'asset') throw new Error('map-document: the build has no index.html');
      // A set also visits what is added meanwhile.
      const needed = new Set(first);
      for (const name of needed) {
        for (const one of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) {
          needed.add(one);
        }
      }
      const source = String(document.source);
      const links = chunks
        .filter(({ fileName }) => needed.has(fileName))
        .flatMap(({ fileName, viteMetadata }) => [fileName, ...(viteMetadata?.importedCss ?? [])])
        // The document already loads the files that all pages share.
        .filter((file) => !source.includes(file))
        .map((file) => {
          const kind = file.endsWith('.css') ? 'stylesheet' : 'modulepreload';
          return `  <link rel="${kind}" crossorigin href="/${file}">\n`;
        });
      this.emitFile({
        type: 'asset',
        fileName: 'map.html',
        source: source.replace('</head>', `${links.join('')}</head>`),
      });
    },
  };
}

/**
 * Writes each file also as `.br` and `.gz`, since the smallest form takes seconds to compute. Fonts
 * are compressed already.
 */
function compressed(): Plugin {
  return {
    name: 'compressed',
    enforce: 'post',
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (name.endsWith('.woff2')) continue;
        const file = path.join(dir!, name);
        const plain = readFileSync(file);
        writeFileSync(`${file}.br`, brotliCompressSync(plain));
        writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
      }
    },
  };
}

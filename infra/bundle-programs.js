import path from 'node:path';
import { build } from 'rolldown';

// `node infra/bundle-programs.js FOLDER`: writes programs and threads into a compiled build, each
// with its imports in a few files, so that a start takes two thirds of the processor time
// (test/bench/COSTS.md).

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('name the folder: node infra/bundle-programs.js FOLDER');

const PROGRAMS = [
  // Tests import it; beside bundled pools, its own modules would be second copies of theirs.
  'infra/cli/program',
  'infra/cli/tta',
  'infra/start',
  'builder/access/access-pool',
  'builder/export/table-pool',
  'builder/tasks/task-pool',
  'builder/search/search-pool',
  'builder/threads/thread',
  'builder/tiles/tile-pool',
  'builder/transpose/transpose-pool',
  'proxy/ledger/sqlite/writer-thread',
];

/** Packages that look for files beside their own, and those that share classes with them. */
const NOT_BUNDLED = ['@photostructure/sqlite', 'bullmq', 'geotiff', 'ioredis', 'pino', 'piscina'];

/** Directory of the code that programs share. */
const SHARED = 'bundled';

/** Placeholder for `import.meta.url` until the file that a module is written to is known. */
const OWN_URL = /__urlOf\("([^"]+)"\)/g;

/** Keeps the value that `import.meta.url` has where modules are files of their own. */
const ownUrls = {
  name: 'own-urls',
  transform: {
    filter: { id: /\.ts$/, code: 'import.meta.url' },
    handler(code, id) {
      const file = path.relative(process.cwd(), id).replace(/\.ts$/, '.js');
      return code.replaceAll('import.meta.url', `__urlOf("${file}")`);
    },
  },
  renderChunk(code, { fileName }) {
    const from = path.dirname(fileName);
    return code.replaceAll(OWN_URL, (_, file) => {
      return `new URL("${path.relative(from, file)}", import.meta.url).href`;
    });
  },
};

await build({
  input: Object.fromEntries(PROGRAMS.map((name) => [name, `${name}.ts`])),
  platform: 'node',
  external: (id) => NOT_BUNDLED.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [ownUrls],
  transform: { target: 'es2023' },
  output: {
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: `${SHARED}/[name]-[hash].js`,
  },
});

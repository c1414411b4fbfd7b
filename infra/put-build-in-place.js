import { chmodSync, copyFileSync, cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

// Files that are served unchanged.
for (const file of ['docs/docs.css', 'docs/docs.js', 'mcp/map-app.html']) {
  copyFileSync(`proxy/${file}`, `dist.next/proxy/${file}`);
}

// Articles of the documentation.
const isTextOrFolder = (file) => path.extname(file) === '' || file.endsWith('.md');
for (const source of ['ACCURACY.md', 'infra/docs']) {
  cpSync(source, `dist.next/${source}`, { recursive: true, filter: isTextOrFolder });
}

// Replaces the previous build in one rename: npm may rebuild at any time, such as on the first `npx
// tta`, while a service or a build is running from the old one.
chmodSync('dist.next/infra/cli/tta.js', 0o755);
rmSync('dist.before', { recursive: true, force: true });
if (existsSync('dist')) renameSync('dist', 'dist.before');
renameSync('dist.next', 'dist');
rmSync('dist.before', { recursive: true, force: true });

import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';

// The build takes the place of the one before in one move: npm builds anew at odd moments, such as
// the first `npx tta`, while a service or a build may be running what is there.
chmodSync('dist.next/infra/cli/tta.js', 0o755);
rmSync('dist.before', { recursive: true, force: true });
if (existsSync('dist')) renameSync('dist', 'dist.before');
renameSync('dist.next', 'dist');
rmSync('dist.before', { recursive: true, force: true });

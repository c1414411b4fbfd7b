#!/usr/bin/env node
import { createProgram } from './program.ts';

// Whoever reads along, such as `head`, may have seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const program = await createProgram(process.argv[2]);
await program.parseAsync();

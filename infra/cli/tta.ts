#!/usr/bin/env node
import { systemCode } from '../../shards/error-facts.ts';
import { createProgram } from './program.ts';

// Whoever reads along, such as `head`, may have seen enough.
process.stdout.on('error', (error) => {
  if (systemCode(error) !== 'EPIPE') throw error;
  process.exit();
});

const program = await createProgram(process.argv[2]);
await program.parseAsync();

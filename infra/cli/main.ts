import { systemCode } from '../../shards/error-facts.ts';
import { createProgram } from './program.ts';

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error) => {
  if (systemCode(error) !== 'EPIPE') throw error;
  process.exit();
});

const program = await createProgram(process.argv.slice(2));
await program.parseAsync();

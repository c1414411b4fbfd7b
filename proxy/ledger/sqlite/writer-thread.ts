import { parentPort, workerData } from 'node:worker_threads';
import type { Write } from './operations.ts';
import { SqlConnection } from './sql-connection.ts';
import { commitGroup, failureOf, type Reply } from './writer.ts';

// Thread that writes to a ledger. Each message is a group of changes; an empty group closes the
// database.

const port = parentPort!;
const db = new SqlConnection(workerData as string, { isWriter: true });

port.on('message', (group: readonly Write[]) => {
  if (group.length === 0) db.close();
  port.postMessage(reply(group));
});

function reply(group: readonly Write[]): Reply {
  if (group.length === 0) return { outcomes: [] };
  try {
    return { outcomes: commitGroup(db, group) };
  } catch (error) {
    return failureOf(error);
  }
}

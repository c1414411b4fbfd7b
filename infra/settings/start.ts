import path from 'node:path';
import { z } from 'zod';
import { ArgumentError } from '../errors.ts';
import { serveSchema, serveSettings } from './api-server.ts';
import { LEDGER, STORE } from './locations.ts';
import { portalSchema, portalSettings } from './portal-server.ts';
import { type Environment, type Flags, readSettings } from './read-settings.ts';
import { aboutOf, setting } from './setting.ts';

const { PORTAL_PORT } = portalSchema.shape;
/** Schema of the settings of both servers, which run in one process. */
const startSchema = z.object({
  ...portalSchema.shape,
  ...serveSchema.shape,
  PORTAL_PORT: setting(PORTAL_PORT.clone(), { ...aboutOf(PORTAL_PORT), flag: '--portal-port' }),
  STORE: setting(STORE.optional(), aboutOf(STORE)),
  LEDGER: setting(LEDGER.optional(), aboutOf(LEDGER)),
});

/** Settings of both servers in one process. */
export type StartSettings = ReturnType<typeof startSettings>;

/**
 * Reads the settings of both servers in one process, on one folder, from flags and the environment.
 * The own store of an area is in the area's folder. Throws an `ArgumentError` listing everything
 * that is wrong.
 */
export function startSettings(version: string, env?: Environment, area = '', flags: Flags = {}) {
  const set = readSettings(startSchema, flags, env);
  // A build, which takes minutes, precedes the servers. Port 0 is any free one.
  if (set.PORT !== 0 && set.PORT === set.PORTAL_PORT) {
    throw new ArgumentError(
      `settings: PORT and PORTAL_PORT (--port and --portal-port) are both ${set.PORT}; choose another for one`,
    );
  }
  const folder = path.resolve(set.VAR_DIR);
  const all = {
    ...set,
    VAR_DIR: folder,
    STORE: set.STORE ?? path.join(folder, area, 'store'),
    LEDGER: set.LEDGER ?? `sqlite:${path.join(folder, 'ledger')}`,
  };
  return {
    /** Folder of everything that is not configured otherwise. */
    folder,
    /** Whether the store is the default one, in the folder. */
    isOwnStore: set.STORE === undefined,
    api: serveSettings(all, version),
    // One process serves its metrics only once, with those of the API.
    portal: { ...portalSettings(all, version), metricsPort: null },
  };
}

import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useMemo, useState } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Account } from '../../responses.ts';
import { Fault } from '../api/fault.ts';
import * as portal from '../api/portal.ts';
import { pathNow } from '../router/router.ts';

const NAME = 'signed-in';

/**
 * Whether this browser was signed in: a hint that saves a request on first visits. The session
 * itself is a cookie that scripts cannot read. Browsers without storage have no hint.
 */
function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(NAME) !== null;
  } catch {
    return false;
  }
}

function rememberSignedIn(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(NAME, 'yes');
    else localStorage.removeItem(NAME);
  } catch {}
}

type Visitor =
  | { readonly state: 'unknown' }
  | { readonly state: 'anonymous' }
  | { readonly state: 'signed-in'; readonly account: Account }
  | { readonly state: 'failed'; readonly error: Error };

interface Session {
  readonly visitor: Visitor;
  /** The last key created while these pages are open, which is shown once and stored nowhere. */
  readonly freshKey: string | null;
  setFreshKey(key: string | null): void;
  signedIn(account: Account): void;
  refresh(): Promise<void>;
  /** Marks the session as ended: by the user, or by the server. */
  ended(): void;
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ children }: { readonly children: ComponentChildren }) {
  const [visitor, setVisitor] = useState<Visitor>(() =>
    // The mailed link opens the account pages directly, when the browser has no hint yet.
    wasSignedIn() || pathNow().startsWith(PAGE_PATHS.overview)
      ? { state: 'unknown' }
      : { state: 'anonymous' },
  );
  const [freshKey, setFreshKey] = useState<string | null>(null);

  const signedIn = useCallback((account: Account) => {
    rememberSignedIn(true);
    setVisitor({ state: 'signed-in', account });
  }, []);
  const ended = useCallback(() => {
    rememberSignedIn(false);
    setFreshKey(null);
    setVisitor({ state: 'anonymous' });
  }, []);
  const refresh = useCallback(async () => {
    try {
      signedIn(await portal.account());
    } catch (error) {
      if (error instanceof Fault && error.slug === 'no-session') ended();
      else if (error instanceof Error) setVisitor({ state: 'failed', error });
    }
  }, [signedIn, ended]);

  const session = useMemo(
    () => ({ visitor, freshKey, setFreshKey, signedIn, refresh, ended }),
    [visitor, freshKey, signedIn, refresh, ended],
  );
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession outside a SessionProvider');
  return session;
}

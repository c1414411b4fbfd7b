const NAME = 'signed-in';

/**
 * Whether somebody was signed in here: a hint, so that a first visit need not ask. The session itself
 * is a cookie that scripts cannot read. Browsers that keep nothing have no hint.
 */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(NAME) !== null;
  } catch {
    return false;
  }
}

export function rememberSignedIn(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(NAME, 'yes');
    else localStorage.removeItem(NAME);
  } catch {}
}

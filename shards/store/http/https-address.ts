/** What is wrong with `https://host/prefix` as a store; null if nothing is. */
export function httpsFault(location: string): string | null {
  if (!URL.canParse(location)) return 'is not an address such as https://host/prefix';
  const { protocol, hostname, username, password, search, hash } = new URL(location);
  if (username !== '' || password !== '') {
    return 'holds a user or password; a store is read by https:// without any';
  }
  if (search !== '' || hash !== '') return 'has a ? or #; a store is https://host/prefix';
  if (protocol === 'https:' || isThisMachine(hostname)) return null;
  return 'http is for a server of this machine only; use https';
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

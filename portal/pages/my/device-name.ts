const BROWSERS = [
  [/Firefox\//, 'Firefox'],
  [/Edg\//, 'Edge'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** Short name of a browser from its user agent; otherwise the user agent itself. */
export function deviceName(client: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(client))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(client))?.[1];
  return browser && system ? `${browser} on ${system}` : client || 'unknown';
}

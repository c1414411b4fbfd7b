// Imports nothing, so that it runs on any version of Node.

const MINIMUM = [20, 19] as const;

/** Describes the version of Node that is required; null if `version` is new enough. */
export function nodeFault(version: string): string | null {
  const [major, minor] = version.split('.').map(Number);
  const isEnough = major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
  return isEnough ? null : `requires Node ${MINIMUM.join('.')} or newer; this is Node ${version}`;
}

/** Exits with a one-line message if Node is too old. */
export function requireNode(program: string): void {
  const fault = nodeFault(process.versions.node);
  if (fault === null) return;
  process.stderr.write(`${program}: ${fault}\n`);
  process.exit(1);
}

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

/** A service in the compose file. */
export interface ComposeService {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const FILE = 'infra/container/compose.yaml';

/**
 * Services of the compose file, by name, as tests start them: `${NAME:-…}` is filled in from
 * `values`, and addresses in `elsewhere`, such as `redis:6379`, are replaced.
 */
export async function composeServices(
  values: Readonly<Record<string, string>>,
  elsewhere: Readonly<Record<string, string>>,
): Promise<Record<string, ComposeService>> {
  const { services } = parse(await readFile(FILE, 'utf8'), { merge: true });
  const placed = (text: unknown) => {
    let result = String(text).replaceAll(
      /\$\{(\w+):-([^}]*)\}/g,
      (_, name: string, otherwise: string) => values[name] ?? otherwise,
    );
    for (const [name, here] of Object.entries(elsewhere)) result = result.replaceAll(name, here);
    return result;
  };
  const service = ({
    command = [],
    environment = {},
  }: Partial<ComposeService>): ComposeService => ({
    command: command.map(placed),
    environment: Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, placed(value)]),
    ),
  });
  return Object.fromEntries(
    Object.entries<Partial<ComposeService>>(services).map(([name, one]) => [name, service(one)]),
  );
}

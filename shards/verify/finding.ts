import { ShardError, StoreError } from '../errors.ts';

export interface Finding {
  readonly object: string;
  readonly problem: string;
}

/**
 * Errors of an object, one line per broken rule: the first occurrence and the count, so that a
 * completely wrong object does not fill the screen.
 */
export class Findings {
  readonly #object: string;
  readonly #broken = new Map<string, { first: string; count: number }>();

  constructor(object: string) {
    this.#object = object;
  }

  /**
   * Adds a finding. `rule` groups findings; `first` is called only for the first one of a group.
   */
  add(rule: string, first: () => string): void {
    const found = this.#broken.get(rule);
    if (found) found.count++;
    else this.#broken.set(rule, { first: first(), count: 1 });
  }

  /** Adds a finding unless a fact is as the manifest says; returns whether it is. */
  compare(rule: string, found: string | number, said: string | number): boolean {
    if (found !== said) this.add(rule, () => `${found}; the manifest says ${said}`);
    return found === said;
  }

  *faults(): Generator<Finding> {
    for (const [rule, { first, count }] of this.#broken) {
      const more = count > 1 ? `; and ${count - 1} more` : '';
      yield { object: this.#object, problem: `${rule}: ${first}${more}` };
    }
  }
}

/**
 * Runs a check of an object. Unreadable or undecodable data stops the check and is reported with
 * the earlier findings; any other error is rethrown.
 */
export async function* findFaults(
  object: string,
  check: (findings: Findings) => Promise<void>,
): AsyncGenerator<Finding> {
  const findings = new Findings(object);
  let failure: Finding | null = null;
  try {
    await check(findings);
  } catch (error) {
    failure = faultOf(object, error);
  }
  yield* findings.faults();
  if (failure) yield failure;
}

function faultOf(object: string, error: unknown): Finding {
  if (error instanceof ShardError) return { object: error.object, problem: said(error) };
  if (error instanceof StoreError) return { object, problem: said(error) };
  throw error;
}

function said({ object, message }: ShardError | StoreError): string {
  return message.startsWith(`${object}: `) ? message.slice(object.length + 2) : message;
}

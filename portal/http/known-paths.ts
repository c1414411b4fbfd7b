import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    readonly knownPaths: KnownPaths;
  }
}

/** The paths that a server knows, and the methods that each takes: what `Allow` tells. */
export class KnownPaths {
  readonly #paths: { readonly pattern: RegExp; readonly allow: string }[] = [];

  /** `template`: as Fastify writes it, `/v1/blocks/:geoid/summary`. */
  add(template: string, methods: readonly string[]): void {
    const pattern = template
      .split(/:\w+/)
      .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+?');
    this.#paths.push({ pattern: new RegExp(`^${pattern}$`), allow: methods.join(', ') });
  }

  /** The methods that a path takes, with commas between them; undefined where it is not known. */
  allowOf(path: string): string | undefined {
    return this.#paths.find(({ pattern }) => pattern.test(path))?.allow;
  }
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (/[^\\s?]*)(?:\\?\\S*)? HTTP/1\\.[01]\\r?\\n`);

/**
 * Method and path of a request that Node refused for its method, which it does not know; undefined of
 * what is no request line.
 */
export function unknownMethod(
  error: Error,
): { readonly method: string; readonly path: string } | undefined {
  const { code, rawPacket, bytesParsed } = error as ClientError;
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return undefined;
  // Requests may stand before it in the packet.
  const text = rawPacket.toString('latin1');
  const line = text.slice(text.lastIndexOf('\n', (bytesParsed ?? 1) - 1) + 1);
  const [, method, path] = REQUEST_LINE.exec(line) ?? [];
  return method === undefined ? undefined : { method, path };
}

/** What Node says of bytes that it cannot parse. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Has a server know its paths, as they are added. */
export function knowPaths(app: FastifyInstance): void {
  app.decorate('knownPaths', new KnownPaths());
}

import { hash } from 'node:crypto';
import Fastify from 'fastify';
import { compressWith } from '../../portal/http/content-encoding.ts';

/** The script that draws the API reference. */
export interface ReferenceScript {
  /** A name that changes with its bytes. */
  readonly fileName: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
}

let loading: Promise<ReferenceScript> | undefined;

/** The script, loaded and compressed when first asked for: it has four megabytes. */
export function referenceScript(): Promise<ReferenceScript> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<ReferenceScript> {
  // The package hands the script out through a Fastify plugin only, whose page would need inline
  // scripts: the plugin is asked for the script, and the page is ours.
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const carrier = Fastify();
  await carrier.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
  const { statusCode, rawPayload: plain } = await carrier.inject('/js/scalar.js');
  await carrier.close();
  if (statusCode !== 200)
    throw new Error(`@scalar/fastify-api-reference: no script, ${statusCode}`);
  const fileName = `scalar-${hash('sha256', plain, 'hex').slice(0, 16)}.js`;
  const [gzip, br] = [await compressWith('gzip', plain), await compressWith('br', plain)];
  return { fileName, plain, gzip, br };
}

import { TransientError } from '../../concurrency/retry.ts';
import { messageOf, systemCode } from '../../error-facts.ts';
import { StoreError } from '../../errors.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server is listening: is it up, and is the address right?',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host’s address cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the host',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no response in time',
  UND_ERR_BODY_TIMEOUT: 'the response stopped half-way',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response was cut short',
};
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS/;

/**
 * Converts a network error to one to retry or to report; an error that is either already is
 * returned.
 */
export function transientFault(origin: string, error: unknown): unknown {
  if (error instanceof TransientError || error instanceof StoreError) return error;
  const code = codeOf(error);
  const cause = { cause: error };
  if (CERTIFICATE.test(code)) {
    const problem = `its certificate is not to be trusted (${code}); name the CA that signed it in NODE_EXTRA_CA_CERTS`;
    return new StoreError('unavailable', origin, problem, cause);
  }
  const said = messageOf(error);
  return new TransientError(`${origin}: ${MEANINGS[code] ?? said}`, cause);
}

/** Returns the code of an aggregate's first error. */
function codeOf(error: unknown): string {
  const code = systemCode(error);
  if (code !== undefined) return code;
  const { errors } = error as { errors?: unknown };
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : '';
}

/** An error response, with a sentence for the user. */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** The last segment of the problem's `type`; `unreachable` if there was no response. */
  readonly slug: string;
  readonly retryAfterSeconds: number;

  constructor(slug: string, message: string, retryAfterSeconds = 0) {
    super(message);
    this.slug = slug;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const PATIENCE_MS = 20_000;

/**
 * Requests JSON. Throws a `Fault` for everything but a success, including no response within twenty
 * seconds.
 */
export async function ask<Answer>(url: string, init: RequestInit = {}): Promise<Answer> {
  return (await responseOf(url, init)).json();
}

/** The same for responses without a body, or where more than the body matters. */
export async function responseOf(url: string, init: RequestInit = {}): Promise<Response> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, patience]) : patience;
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Fault('unreachable', 'No response. Check your connection and try again.');
  }
  if (response.ok) return response;
  throw await faultOf(response);
}

async function faultOf(response: Response): Promise<Fault> {
  const problem: { type?: string; detail?: string } = await response.json().catch(() => ({}));
  const slug = problem.type?.split('/').at(-1) ?? `status-${response.status}`;
  const detail = problem.detail ?? `The service responded with status ${response.status}.`;
  return new Fault(slug, sentence(detail), Number(response.headers.get('retry-after')) || 0);
}

/** Details start in lower case and have no full stop. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

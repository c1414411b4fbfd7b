/** An answer that is not the one asked for, with a sentence for the person who meets it. */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** The last segment of the problem's `type`; `unreachable` where there was no answer at all. */
  readonly slug: string;
  readonly retryAfterSeconds: number;

  constructor(slug: string, message: string, retryAfterSeconds = 0) {
    super(message);
    this.slug = slug;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const PATIENCE_MS = 20_000;

/** Asks for JSON. Everything but a success is a `Finding`; so is no answer in twenty seconds. */
export async function ask<Answer>(url: string, init: RequestInit = {}): Promise<Answer> {
  return (await responseOf(url, init)).json();
}

/** The same, for what has no body, or more to it than its body. */
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

/** Details begin in small letters, and end without a full stop. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

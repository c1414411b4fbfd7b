import type { Client, DataOf, Operations, ParamsOf, Reply } from '../../../client/src/index.ts';

/** Adds the cost of a reply to the bill, and returns its data. */
export type Pay = <T>(reply: PromiseLike<Reply<T>>) => Promise<T>;

/** Metered HTTP requests that are sent together, for one result. */
export interface PaidRequest<T> {
  /** The key under which a result is kept, so that it is not paid for again. */
  readonly name: string;
  /** Maximum number of tokens that the request can cost. */
  readonly price: number;
  run(client: Client, pay: Pay, signal: AbortSignal): Promise<T>;
}

/** A paid request that is one call of the client. */
export interface PaidCall<T> extends PaidRequest<T> {
  readonly operation: keyof Operations;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Returns the paid request of a call; `read` returns its result. */
export function paidCall<O extends keyof Operations, T = DataOf<O>>(
  operation: O,
  parameters: ParamsOf<O>,
  price: number,
  read: (data: DataOf<O>) => T = (data) => data as T,
): PaidCall<T> {
  return {
    name: `${operation} ${JSON.stringify(parameters)}`,
    operation,
    parameters: { ...parameters },
    price,
    async run(client, pay, signal) {
      const call = client[operation] as unknown as Call<O>;
      return read(await pay(call(parameters, { signal })));
    },
  };
}

type Call<O extends keyof Operations> = (
  parameters: ParamsOf<O>,
  options: { readonly signal: AbortSignal },
) => Promise<Reply<DataOf<O>>>;

export interface Bill {
  readonly charged: number;
  /** Null if the service does not report it, as for members. */
  readonly remaining: number | null;
}

export type Outcome<T> =
  | { readonly state: 'offered' }
  | { readonly state: 'busy'; cancel(): void }
  | { readonly state: 'done'; readonly value: T; readonly bill: Bill }
  | {
      readonly state: 'failed';
      readonly message: string;
      /** Slug of the `ApiError`; null for any other error. */
      readonly slug: string | null;
      readonly bill: Bill;
    };

export interface Outcomes {
  outcomeOf<T>(name: string): Outcome<T>;
}

export const OFFERED = { state: 'offered' } as const;

/** The result of a request; null until it has been paid for. */
export function resultOf<T>(requests: Outcomes, request: PaidRequest<T> | null): T | null {
  if (request === null) return null;
  const outcome = requests.outcomeOf<T>(request.name);
  return outcome.state === 'done' ? outcome.value : null;
}

/** Sends a paid request, and adds up its bill, even after a failure. */
export async function send<T>(
  { run }: PaidRequest<T>,
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly bill: Bill } & ({ readonly value: T } | { readonly error: unknown })> {
  let bill: Bill = { charged: 0, remaining: null };
  const pay: Pay = async (reply) => {
    const { data, tokens } = await reply;
    // Requests run concurrently, so the lowest balance is the last.
    const left = [bill.remaining, tokens.remaining].filter((one) => one !== null);
    bill = {
      charged: bill.charged + tokens.charged,
      remaining: left.length === 0 ? null : Math.min(...left),
    };
    return data;
  };
  try {
    return { value: await run(client, pay, signal), bill };
  } catch (error) {
    return { error, bill };
  }
}

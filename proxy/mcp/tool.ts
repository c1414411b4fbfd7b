import type { z } from 'zod';
import { ApiError, type Client, type Reply } from '../../portal/client/src/index.ts';

/** Tokens of one call of a tool. */
export interface ToolTokens {
  charged: number;
  /** Balance after the last metered request; null if none was sent. */
  remaining: number | null;
}

/** Calls the API for one call of a tool, and adds up what its responses cost. */
export class ToolCalls {
  readonly client: Client;
  readonly tokens: ToolTokens = { charged: 0, remaining: null };

  constructor(client: Client) {
    this.client = client;
  }

  /** Resolves with the data of a response. */
  async data<T>(reply: PromiseLike<Reply<T>>): Promise<T> {
    const { data, tokens } = await reply;
    this.tokens.charged += tokens.charged;
    this.tokens.remaining = tokens.remaining ?? this.tokens.remaining;
    return data;
  }
}

/** Result of a tool: a short text for the reader, the same as data, and where more of it is. */
export interface ToolResult {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly links?: readonly ToolLink[];
}

/** A resource too large for a conversation, such as a map or a table. */
export interface ToolLink {
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
}

/** Where people see maps; null if the service names no portal. */
export interface ToolSite {
  readonly accountUrl: string | null;
}

/** A read-only tool. Its schemas validate calls and are listed to clients. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** Maximum price of a call in tokens, from its input; what is free has none. */
  price?(input: z.output<Input>, calls: ToolCalls): Promise<number>;
  run(input: z.output<Input>, calls: ToolCalls, site: ToolSite): Promise<ToolResult>;
}

/** Keeps inference at the definition, and returns the type of a table of tools. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool;
}

/** A call that needs a correction or a choice by the caller; nothing is charged. */
export class NeedsChoice extends Error {
  override readonly name = 'NeedsChoice';
  /** Values to choose from, as text. */
  readonly options: readonly string[];

  constructor(message: string, options: readonly string[]) {
    super(options.length === 0 ? message : `${message} Choose one: ${options.join('; ')}.`);
    this.options = options;
  }
}

/** Throws `NeedsChoice` if several requests would be paid for in part: a partial result is of no use. */
export async function requireBalance(calls: ToolCalls, price: number): Promise<void> {
  const { tokens_remaining } = await calls.data(calls.client.getTokens());
  if (tokens_remaining >= price) return;
  throw new NeedsChoice(
    `This costs up to ${price} tokens, and ${tokens_remaining} are left: narrow it or buy tokens.`,
    [],
  );
}

/** Explains a failure and the next step in a sentence or two. */
export function adviceOn(error: unknown, { accountUrl }: ToolSite, charged: number): string {
  const paid = charged === 0 ? 'Nothing was charged.' : `${charged} tokens were charged before.`;
  if (error instanceof NeedsChoice) return error.message;
  if (!(error instanceof ApiError)) return `Internal error. ${paid} Try again later.`;
  const portal = accountUrl === null ? 'the portal' : accountUrl;
  switch (error.slug) {
    case 'missing-key':
    case 'invalid-key':
      return `The API key is missing or invalid. Create one at ${portal} and send it as "Authorization: Bearer KEY".`;
    case 'tokens-exhausted':
      return `The balance does not cover this call. ${paid} Narrow it (fewer types, modes or blocks) or buy tokens at ${portal}.`;
    case 'rate-limited':
    case 'overloaded':
      return `The service is limiting requests. Retry in ${Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)} s.`;
    default:
      return `${error.problem?.detail ?? error.message}. ${paid}`;
  }
}

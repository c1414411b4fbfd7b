import type { Client, Reply } from '../../portal/client/src/index.ts';
import { counted } from '../../shards/number-words.ts';
import { NeedsChoice } from './advice.ts';
import { TypeCatalogue } from './type-catalogue.ts';

/** Sends the requests of one tool call to the API, and adds up what their responses cost. */
export class ToolCalls {
  readonly client: Client;
  charged = 0;
  /** Balance after the last metered request; null if none was sent. */
  remaining: number | null = null;
  #types: Promise<TypeCatalogue> | undefined;

  constructor(client: Client) {
    this.client = client;
  }

  async data<T>(reply: PromiseLike<Reply<T>>): Promise<T> {
    const { data, tokens } = await reply;
    this.charged += tokens.charged;
    this.remaining = tokens.remaining ?? this.remaining;
    return data;
  }

  /** The types of the release, requested once. */
  types(): Promise<TypeCatalogue> {
    this.#types ??= this.client
      .getDestinationTypes()
      .then(({ data, headers }) => TypeCatalogue.of(data.destination_types, headers.get('etag')));
    return this.#types;
  }

  /**
   * Throws `NeedsChoice` if the balance covers only part of a call: a partial result is of no use.
   */
  async requireBalance(price: number): Promise<void> {
    const { tokens_remaining } = await this.data(this.client.getTokens());
    if (tokens_remaining >= price) return;
    throw new NeedsChoice(
      `This costs up to ${counted(price, 'token')}, and ${counted(tokens_remaining, 'is', 'are')} left: narrow it or buy tokens.`,
    );
  }
}

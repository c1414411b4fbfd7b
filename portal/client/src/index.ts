export { ApiError, type Slug, type Tokens } from './api-error.ts';
export type * from './api-types.ts';
export {
  type Call,
  type Client,
  createClient,
  type DataOf,
  type MediaTypeOf,
  type ParamsOf,
  type RowOf,
} from './client.ts';
export { browserStore, type EtagStore, memoryStore, type StoredResponse } from './etag-stores.ts';
export type { CallOptions, ClientOptions, Reply } from './sender.ts';

import type { SampleRequest } from '../../../proxy/docs/code-samples.ts';
import { OPERATIONS, type Operations } from '../../client/src/api-types.ts';
import { addressed } from '../../client/src/sender.ts';

/** A call of the client, as a request to show in other languages; `rows` as in `SampleRequest`. */
export function sampleOf(
  baseUrl: string,
  operation: keyof Operations,
  parameters: SampleRequest['parameters'],
  rows: string,
): Omit<SampleRequest, 'key'> {
  const [access, template] = OPERATIONS[operation];
  const isPost = access === 'posted';
  const [path] = addressed(template, parameters, !isPost);
  return { baseUrl, path, operation, parameters, isPost, rows };
}

import { z } from 'zod';

/** An absolute http or https URL; the message for another value has an example of one. */
export function webUrl(example: string) {
  return z.url({
    protocol: /^https?$/,
    error: `is not an http or https URL such as ${example}`,
  });
}

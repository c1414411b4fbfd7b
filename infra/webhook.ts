import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { hostOf } from '../builder/fetch/host-guard.ts';
import { Http } from '../builder/fetch/http.ts';
import type { Receipts } from '../builder/receipts/receipts.ts';
import { hashOfJson } from '../shards/codec/json-object.ts';

/** Where events are sent, and the key that signs them. */
export interface Webhook {
  readonly url: string;
  readonly key: Uint8Array;
}

/** An event about a release. */
interface WebhookEvent {
  readonly type: 'release.promoted' | 'release.refused';
  readonly data: { readonly release: string; readonly manifest: string } & object;
}

const MS_PER_SECOND = 1_000;
const deliveredSchema = z.strictObject({ delivered_at: z.iso.datetime() });

/**
 * Sends an event as Standard Webhooks specifies, unless a receipt says that it has arrived: at
 * least once, under an id that stays the same. Throws a `BuildError` that names the host, but not
 * the address, which may be secret.
 */
export async function deliver(
  { url, key }: Webhook,
  event: WebhookEvent,
  receipts: Receipts,
  userAgent: string,
): Promise<void> {
  const { type, data } = event;
  const hash = hashOfJson([url, type, data.manifest]);
  if (await receipts.findUnlisted('webhook', hash, deliveredSchema)) return;
  const host = hostOf(new URL(url));
  const http = new Http({ userAgent, namedHosts: [host] });
  try {
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ type, timestamp, data });
    const id = `msg_${hash.slice(0, 32)}`;
    await http.post(url, `webhook at ${host}`, body, () => signed(id, new Date(), body, key));
    await receipts.keep('webhook', hash, { delivered_at: timestamp });
  } finally {
    await http.close();
  }
}

/** The headers of a message: its id, the time of sending, and HMAC-SHA256 of both and the body. */
function signed(id: string, sent: Date, body: string, key: Uint8Array): Record<string, string> {
  const seconds = Math.floor(sent.getTime() / MS_PER_SECOND);
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}

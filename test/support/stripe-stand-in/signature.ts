import { createHmac } from 'node:crypto';
import type { StripeEvent } from './objects.ts';

/** An event as sent, and its signature header. */
export interface SignedEvent {
  readonly body: Buffer;
  readonly signature: string;
}

/** Signs as Stripe documents it: HMAC-SHA-256 of the time, a dot and the body. */
export function signed(event: StripeEvent, secret: string, atSeconds: number): SignedEvent {
  const body = Buffer.from(JSON.stringify({ ...event, api_version: '2026-10-28.endive' }));
  return { body, signature: signatureOf(body, secret, atSeconds) };
}

export function signatureOf(body: Buffer, secret: string, atSeconds: number): string {
  const hmac = createHmac('sha256', secret).update(`${atSeconds}.`).update(body).digest('hex');
  return `t=${atSeconds},v1=${hmac}`;
}

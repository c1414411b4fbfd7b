import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import PostalMime from 'postal-mime';
import { escapeHtml, plainPage, plainPageHeaders } from '../proxy/http/html.ts';
import { Problem } from '../proxy/http/problem.ts';
import { isEqualHash } from '../proxy/ledger/equal-hash.ts';

const MAX_MAILS = 20;
const SECRET_BYTES = 18;

/**
 * Serves the newest mails of a folder as a page at a secret path, which is returned. The path is
 * printed only at startup, because reading these mails allows signing in to any account.
 */
export function serveMailPage(app: FastifyInstance, folder: string): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  app.get<{ Params: { secret: string } }>('/mail/:secret', async (request, reply) => {
    if (!isEqualHash(request.params.secret, secret)) {
      throw new Problem(
        'not-found',
        'the address of the mail page was printed when the service started',
      );
    }
    const names = await readdir(folder).catch(() => []);
    const newest = names
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .slice(-MAX_MAILS)
      .reverse();
    const mails = await Promise.all(
      newest.map(async (name) => mailOf(await readFile(path.join(folder, name)))),
    );
    const body = mails.join('<hr>') || '<p>No mail yet.</p>';
    return reply
      .headers(plainPageHeaders({ hasForm: false }))
      .send(plainPage('Outgoing mail', body));
  });
  return `/mail/${secret}`;
}

async function mailOf(bytes: Uint8Array): Promise<string> {
  const { subject, to, date, text } = await PostalMime.parse(bytes);
  const addresses = (to ?? []).map(({ address }) => address).join(', ');
  const shown = (text ?? '')
    .split(/(https?:\/\/[^\s<>]+)/)
    .map((part, i) => {
      const plain = escapeHtml(part);
      return i % 2 === 1 ? `<a href="${plain}">${plain}</a>` : plain;
    })
    .join('');
  return `<article><h2>${escapeHtml(subject ?? '')}</h2><p>To ${escapeHtml(addresses)}, ${escapeHtml(date ?? '')}</p><pre>${shown}</pre></article>`;
}

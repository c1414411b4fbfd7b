import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipInput } from '../../builder/inputs/zip.ts';
import { writeZip, type ZipPart } from '../../builder/inputs/zip-writer.ts';

/**
 * Writes the feed of a demo city as that of another agency, beside it; returns its path. Feeds of
 * demo cities are alike, so those of one agency would count as one.
 */
export async function asAgency(feed: string, agency: string): Promise<string> {
  const zip = await ZipInput.open(feed, ['.txt']);
  const parts: ZipPart[] = [];
  for (const name of zip.names) {
    const content = await buffer(zip.stream(name));
    const renamed = Buffer.from(content.toString().replace('Meridian Transit', agency));
    parts.push({ name, chunks: () => [name === 'agency.txt' ? renamed : content] });
  }
  zip.close();
  const file = path.join(path.dirname(feed), `${agency.replaceAll(' ', '-').toLowerCase()}.zip`);
  await writeZip(file, parts);
  return file;
}

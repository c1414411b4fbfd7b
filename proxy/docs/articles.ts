import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DocPage } from './document-parts.ts';

export const GUIDES = 'Guides';

/** Documents of the repository that are pages of the documentation, by group, in their order. */
const FILES: readonly (readonly [group: string, file: string])[] = [
  [GUIDES, 'infra/docs/api.md'],
  [GUIDES, 'infra/docs/maps.md'],
  [GUIDES, 'infra/docs/assistants.md'],
  ['Recipes', 'infra/docs/recipes/README.md'],
  ['Recipes', 'infra/docs/recipes/amenity-basket.md'],
  ['Recipes', 'infra/docs/recipes/dual-access.md'],
  ['Recipes', 'infra/docs/recipes/own-sites.md'],
  ['Recipes', 'infra/docs/recipes/one-more-store.md'],
  ['Recipes', 'infra/docs/recipes/clinics-per-1000.md'],
  ['Recipes', 'infra/docs/recipes/home-search.md'],
  ['Recipes', 'infra/docs/recipes/trip-legs.md'],
  ['Recipes', 'infra/docs/recipes/before-and-after.md'],
  ['Recipes', 'infra/docs/recipes/scenario.md'],
  ['Recipes', 'infra/docs/recipes/python.md'],
  ['Recipes', 'infra/docs/recipes/r.md'],
  ['Recipes', 'infra/docs/recipes/tables.md'],
  ['Methods', 'ACCURACY.md'],
  ['Methods', 'infra/docs/glossary.md'],
];

const SLUGS = new Map(FILES.map(([, file]) => [file, slugOf(file)]));
const LINK = /(?<!!)\[([^\]]*)\]\(([^)\s]*)\)/g;

/** Reads the articles. Links to files that are no pages are left out; their labels stay. */
export function articles(): DocPage[] {
  return FILES.map(([group, file]) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const [, title] = /^# (.+)$/m.exec(source)!;
    return {
      slug: slugOf(file),
      title,
      group,
      text: (link) =>
        source.replaceAll(LINK, (whole, label: string, target: string) => {
          if (/^(?:\w+:|#)/.test(target)) return whole;
          const [name, anchor] = target.split('#');
          const slug = SLUGS.get(path.posix.join(path.posix.dirname(file), name));
          if (slug === undefined) return label;
          return `[${label}](${link(slug)}${anchor === undefined ? '' : `#${anchor}`})`;
        }),
    };
  });
}

function slugOf(file: string): string {
  const { dir, name } = path.posix.parse(file);
  return (name === 'README' ? path.posix.basename(dir) : name).toLowerCase();
}

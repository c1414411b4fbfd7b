/** A row of a table, as text. */
export type Row = readonly string[];

/** Returns a document with its tables, between `<!-- table: NAME -->` and `<!-- end -->`, anew. */
export function replaceTables(document: string, tables: Readonly<Record<string, string>>): string {
  return document.replaceAll(
    /(<!-- table: ([\w-]+) -->\n).*?(?=<!-- end -->)/gs,
    (_, begin: string, name: string) => {
      if (!(name in tables)) throw new Error(`no table ${name}`);
      return `${begin}${tables[name]}`;
    },
  );
}

/** A table whose first `texts` columns are text, and the others numbers. */
export function markdown(head: Row, rows: readonly Row[], texts = 1): string {
  const line = (cells: Row) => `| ${cells.join(' | ')} |\n`;
  const rule = head.map((_, i) => (i < texts ? '---' : '---:'));
  return [head, rule, ...rows].map(line).join('');
}

export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

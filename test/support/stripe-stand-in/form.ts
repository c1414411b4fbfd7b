/** A form value as Stripe parses it: text, or a structure built from brackets. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };
export type Form = { [name: string]: FormValue };

/** Parses a form such as `a=1&b[c]=2&d[0][e]=3`, from a body or a query. */
export function parseForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const steps = name.replaceAll(']', '').split('[');
    let place = form;
    for (const step of steps.slice(0, -1)) {
      place[step] ??= {};
      place = place[step] as Form;
    }
    place[steps.at(-1)!] = value;
  }
  return withLists(form) as Form;
}

function withLists(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, withLists(part)] as const);
  const isList = entries.length > 0 && entries.every(([name], index) => name === String(index));
  return isList ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}

export function text(value: FormValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function group(value: FormValue | undefined): Form {
  return typeof value === 'object' && !Array.isArray(value) ? value : {};
}

export function list(value: FormValue | undefined): FormValue[] {
  return Array.isArray(value) ? value : [];
}

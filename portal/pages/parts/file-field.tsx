import { useState } from 'preact/hooks';
import { explained } from '../api/fault.ts';
import { Notice } from './notice.tsx';

/**
 * A field for a file that the page reads itself. `read` returns what is wrong
 * with the file, or null.
 */
export function FileField(props: {
  readonly label: string;
  /** File extensions and media types, as in the `accept` attribute. */
  readonly accept: string;
  readonly read: (file: File) => Promise<string | null>;
}) {
  const { label, accept, read } = props;
  const [fault, setFault] = useState<string | null>(null);
  const open = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    setFault(await read(file).catch((error) => `The file could not be read. ${explained(error)}`));
    input.value = '';
  };
  return (
    <>
      <label class="field">
        <span>{label}</span>
        <input type="file" accept={accept} onChange={(event) => void open(event.currentTarget)} />
      </label>
      {fault !== null && <Notice kind="fault">{fault}</Notice>}
    </>
  );
}

import { useState } from 'preact/hooks';
import { explained } from '../api/fault.ts';

export function FileButton(props: {
  readonly label: string;
  readonly name: string;
  readonly make: () => Promise<Blob>;
}) {
  const { label, name, make } = props;
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const run = async () => {
    setState('busy');
    try {
      saveFile(name, await make());
      setState('idle');
    } catch (error) {
      setState(error as Error);
    }
  };
  return (
    <>
      <button type="button" class="button" disabled={state === 'busy'} onClick={() => void run()}>
        {state === 'busy' ? `${label} …` : label}
      </button>
      <span role="alert" class="fault-text">
        {state instanceof Error && `${label} could not be made. ${explained(state)}`}
      </span>
    </>
  );
}

function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

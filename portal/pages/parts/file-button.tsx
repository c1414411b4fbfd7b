import { useAction } from '../api/use-action.ts';

export function FileButton(props: {
  readonly label: string;
  readonly name: string;
  readonly make: () => Promise<Blob>;
}) {
  const { label, name, make } = props;
  const { isBusy, fault, run } = useAction();
  const save = async () => saveFile(name, await make());
  return (
    <>
      <button type="button" class="button" disabled={isBusy} onClick={() => void run(save)}>
        {isBusy ? `${label} …` : label}
      </button>
      <span role="alert" class="fault-text">
        {fault && `${label} could not be made. ${fault}`}
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

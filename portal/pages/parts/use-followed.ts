import { useEffect, useState } from 'preact/hooks';

/** A value outside the components, read anew at each event of a target. */
export function useFollowed<Value>(read: () => Value, target: EventTarget, event: string): Value {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const follow = () => setValue(read);
    target.addEventListener(event, follow);
    return () => target.removeEventListener(event, follow);
  }, []);
  return value;
}

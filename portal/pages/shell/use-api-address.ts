import { useEffect, useState } from 'preact/hooks';
import { portalConfig } from '../api/portal.ts';

/** Where the API is; `null` until it is known. */
export function useApiAddress(): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    portalConfig().then(
      ({ api_url }) => setAddress(api_url),
      // Pages that cannot do without it say so themselves.
      () => {},
    );
  }, []);
  return address;
}

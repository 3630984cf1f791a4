import { useEffect, useRef } from 'react';

/**
 * Returns the images that are shown with all their pixels. Images that pass by during fast scrolling load small, with a tenth of them; once
 * loaded in full, an image stays so.
 */
export function useFullResolution(shown: string[], isFast: boolean): ReadonlySet<string> {
  const before = useRef<ReadonlySet<string>>(new Set());
  const full = new Set(isFast ? shown.filter((id) => before.current.has(id)) : shown);
  useEffect(() => {
    before.current = full;
  });
  return full;
}

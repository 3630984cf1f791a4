import { useEffect, useRef } from 'react';

/**
 * Returns the images shown in full resolution. During fast scrolling, images load with a tenth of the pixels. An
 * image that was loaded in full stays in full resolution.
 */
export function useFullResolution(shown: string[], isFast: boolean): ReadonlySet<string> {
  const before = useRef<ReadonlySet<string>>(new Set());
  const full = new Set(isFast ? shown.filter((id) => before.current.has(id)) : shown);
  useEffect(() => {
    before.current = full;
  });
  return full;
}

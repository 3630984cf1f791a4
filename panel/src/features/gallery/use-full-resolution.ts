import { useEffect, useRef } from 'react';

/** Returns the images to show in full resolution. During fast scrolling, new images load with a tenth of the pixels. */
export function useFullResolution(shown: string[], isFast: boolean): ReadonlySet<string> {
  const before = useRef<ReadonlySet<string>>(new Set());
  const full = new Set(isFast ? shown.filter((id) => before.current.has(id)) : shown);
  useEffect(() => {
    before.current = full;
  });
  return full;
}

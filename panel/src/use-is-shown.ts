import { type RefObject, useEffect, useRef } from 'react';

/** Whether the component is still shown, for answers that may come after the person has gone to another page. */
export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

import { useLayoutEffect, useState } from 'react';

/** Receives the text typed before the field existed. Returns a function to call when the field disappears. */
export type OnField = (giveText: (text: string) => void) => () => void;

/**
 * Keeps text typed before the palette's code is loaded. Otherwise the keys would act on the page behind the palette.
 */
export function useEarlyKeys(isOpen: boolean, onClose: () => void): OnField {
  const [early] = useState(createEarlyKeys);
  // A layout effect, because the next key may come before other effects run.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if (early.hear(event) === 'close') onClose();
    };
    early.forget();
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [early, isOpen, onClose]);
  return early.onField;
}

function createEarlyKeys() {
  let typed = '';
  let hasField = false;
  return {
    forget() {
      typed = '';
    },
    hear(event: KeyboardEvent): 'close' | undefined {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (hasField || ctrlKey || metaKey || altKey || isOfBrowser(event)) return undefined;
      event.preventDefault();
      event.stopPropagation();
      if (key === 'Escape') return 'close';
      if (key === 'Backspace') typed = typed.slice(0, -1);
      else if ([...key].length === 1) typed += key;
      return undefined;
    },
    onField(giveText: (text: string) => void) {
      hasField = true;
      if (typed !== '') giveText(typed);
      typed = '';
      return () => {
        hasField = false;
      };
    },
  };
}

/** Whether the browser or an input method needs the key. Preventing the default would break either. */
function isOfBrowser({ key, isComposing }: KeyboardEvent): boolean {
  return isComposing || /^(F\d+|Process|Dead)$/.test(key);
}

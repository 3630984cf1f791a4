import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useEarlyKeys } from './early-keys.ts';
import classes from './palette-button.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** Ctrl+K or ⌘K opens the palette anywhere. */
export function usePalette(accountId: string | undefined) {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never');
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.metaKey || event.ctrlKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      event.preventDefault();
      // The palette stays closed while a dialog is open, because the dialog's one-time texts and input would be lost.
      if (document.querySelector('[role="dialog"]') === null) setState('open');
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  const isOpen = state === 'open';
  const close = useCallback(() => setState('closed'), []);
  const onField = useEarlyKeys(isOpen, close);
  return {
    isOpen,
    open: () => setState('open'),
    shown: state !== 'never' && (
      <Suspense>
        <Palette accountId={accountId} opened={isOpen} onField={onField} onClose={close} />
      </Suspense>
    ),
  };
}

export function PaletteButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button type="button" className={classes.button} onClick={onOpen} aria-keyshortcuts="Control+K Meta+K">
      <IconSearch size={15} aria-hidden />
      <span>Search</span>
      <kbd aria-hidden>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

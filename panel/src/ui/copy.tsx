import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../languages/words.ts';
import { announce } from './announce.tsx';

const shownMs = 1_500;

export function CopyButton({ text, what }: { text: string; what: string }) {
  const { copied, copy } = useCopy();
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
      <ActionIcon size={24} aria-label={`Copy ${what}`} onClick={() => copy(text)}>
        {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
      </ActionIcon>
    </Tooltip>
  );
}

export function Id({ id, what }: { id: string; what: string }) {
  return (
    <span
      className="row nowrap"
      style={{ display: 'inline-flex', flexWrap: 'nowrap', gap: 2, maxWidth: '100%' }}
    >
      <code className="ellipsis" title={id}>
        {id}
      </code>
      <CopyButton text={id} what={what} />
    </span>
  );
}

/** Shortens a long id. Ids sort by time, so ids of about the same time differ only at their ends. */
export function shortId(id: string): string {
  return id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}

export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  const copy = (text: string) => {
    void write(text).then((done) => {
      announce(done ? t('Copied') : t('The browser did not allow copying'));
      setCopied(done);
      setTimeout(() => setCopied(false), shownMs);
    });
  };
  return { copied, copy };
}

/** Browsers offer the clipboard API only on https and localhost; elsewhere the old copy command works. */
async function write(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement('textarea');
  area.value = text;
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}

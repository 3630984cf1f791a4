import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../languages/words.ts';

/** Traps the focus, and returns it when closed. */
export function Dialog(props: {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** True for content shown once, which only the dialog's own button closes. */
  keep?: boolean;
  size?: string;
  children: ReactNode;
}) {
  const { keep = false } = props;
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={<span style={{ fontWeight: 600, fontSize: 16 }}>{props.title}</span>}
      size={props.size ?? 'md'}
      closeOnClickOutside={!keep}
      closeOnEscape={!keep}
      withCloseButton={!keep}
      closeButtonProps={{ 'aria-label': t('Close') }}
      // On dark pages, the dialog has the page's background, so it needs a border.
      styles={{ content: { border: '1px solid var(--line-strong)' } }}
    >
      <div className="stack">{props.children}</div>
    </Modal>
  );
}

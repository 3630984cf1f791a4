import type { SignUpOptions } from '@darkroom/server/panel-contract';
import { Checkbox } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';

const names = { terms: t('the terms'), privacy: t('the privacy policy') };

export function useDocuments(): SignUpOptions['documents'] {
  return useRead('GET /panel/sign-in', {}).data?.sign_up?.documents ?? [];
}

export function versionsOf(documents: SignUpOptions['documents']): Record<string, string> {
  return Object.fromEntries(documents.map(({ document, version }) => [document, version]));
}

export function AcceptDocuments({ documents }: { documents: SignUpOptions['documents'] }) {
  if (documents.length === 0) return null;
  return (
    <Checkbox
      required
      label={
        <>
          I accept{' '}
          {documents.map(({ document, url }, index) => (
            <span key={document}>
              {index > 0 && ' and '}
              <a href={url} target="_blank" rel="noreferrer">
                {names[document]}
              </a>
            </span>
          ))}
        </>
      }
    />
  );
}

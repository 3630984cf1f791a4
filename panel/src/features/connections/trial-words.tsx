import type { ConnectionProblem, ConnectionCheck as Trial } from '@darkroom/server/panel-contract';
import type { ReactNode } from 'react';
import { t } from '../../languages/words.ts';
import { Notice } from '../../ui/notice.tsx';

export type { Trial };

export function TrialWords({ trial, children }: { trial: Trial; children?: ReactNode }) {
  if (trial.ok)
    return (
      <Notice tone="calm" title={trial.models.length > 0 ? `It answers: ${modelsOf(trial)}` : 'It answers'}>
        {trial.base_url !== null && (
          <p>
            At <code>{trial.base_url}</code>, which is the address that will be used.
          </p>
        )}
        {children}
      </Notice>
    );
  return (
    <Notice tone="bad" title={titles[trial.problem]} alert>
      <p>{trial.detail}</p>
      {children}
    </Notice>
  );
}

function modelsOf({ models }: Extract<Trial, { ok: true }>): string {
  return t('{count, plural, =1 {one model} other {# models}}', { count: models.length });
}

const titles: Record<ConnectionProblem, string> = {
  key_missing: t('A key is needed'),
  key_unreadable: t('This is not a valid key'),
  key_refused: t('The key is refused'),
  no_quota: t('The quota is used up'),
  address_missing: t('An address is needed'),
  address_unreadable: t('This is not a valid address'),
  unreachable: t('It cannot be reached'),
  not_this_api: t('Something else answers there'),
  model_missing: t('There is no model'),
  busy: t('It is busy'),
};

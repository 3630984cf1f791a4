import type { ConnectionProblem, ConnectionCheck as Trial } from '@darkroom/server/panel-contract';
import type { ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';

export type { Trial };

/** Whether a connection works, or what is wrong with it. */
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
  return models.length === 1 ? 'one model' : `${models.length} models`;
}

const titles: Record<ConnectionProblem, string> = {
  key_missing: 'A key is needed',
  key_unreadable: 'This cannot be a key',
  key_refused: 'The key is refused',
  no_quota: 'The quota is used up',
  address_missing: 'An address is needed',
  address_unreadable: 'This is not an address',
  unreachable: 'It cannot be reached',
  not_this_api: 'Something else answers there',
  model_missing: 'There is no model',
  busy: 'It is busy',
};

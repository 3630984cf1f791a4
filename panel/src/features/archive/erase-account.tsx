import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

/** Asks the operator to type the account's name, because erasing cannot be undone. */
export function EraseAccount({ account, onErased }: { account: OperatorAccount; onErased: () => void }) {
  const [typed, setTyped] = useState('');
  const erase = useSend('POST /admin/v1/accounts/:account/erase', [
    'GET /admin/v1/accounts',
    'GET /admin/v1/accounts/:account',
    'GET /api/v1/members',
    'GET /api/v1/invitations',
    'GET /panel/session',
  ]);
  const why = typed === account.name ? undefined : t('Type the name of the account.');
  return (
    <div className="stack">
      <p>
        <strong>Goes for good:</strong> jobs, prompts, images (starred ones too), inputs, uploads, public
        links, webhooks and their deliveries, members who belong to no other account, and names and addresses
        in the audit log. Keys stop working, and jobs under way are cancelled.
      </p>
      <p>
        <strong>Stays:</strong> the ledger, under a pseudonym, with what was paid and spent.
      </p>
      <ProblemAlert error={erase.error} />
      <TextInput
        label={`Type ${account.name} to confirm`}
        autoComplete="off"
        maw={360}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <div>
        <ActionButton
          color="failure"
          why={why}
          loading={erase.isPending}
          onClick={() =>
            erase.mutate(
              { params: { account: account.account_id }, body: { name: typed } },
              { onSuccess: onErased },
            )
          }
        >
          Erase account
        </ActionButton>
      </div>
    </div>
  );
}

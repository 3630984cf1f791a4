import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { whyErased } from '../operator/why-erased.ts';
import { EditLimits } from './edit-limits.tsx';
import { Limits } from './limits.tsx';

/** The limits of an account, which hold for its keys together; to see and, for operators, to change. */
export function AccountLimits({ account }: { account: OperatorAccount }) {
  const params = { account_id: account.account_id };
  const [editing, setEditing] = useState(false);
  const limits = useRead('GET /panel/accounts/:account_id/limits', { params });
  const change = useSend('POST /panel/operator/accounts/:account_id/limits', [
    'GET /panel/accounts/:account_id/limits',
  ]);
  return (
    <Section
      title="Limits"
      hint="For all its keys and the playground together"
      actions={
        <ActionButton size="xs" variant="default" why={whyErased(account)} onClick={() => setEditing(true)}>
          Change limits
        </ActionButton>
      }
    >
      <Await query={limits}>
        {({ data }) => (
          <div className="card padded">
            <Limits rows={data} none="None: its balance is its only limit." />
            <EditLimits
              title={`Limits of ${account.name}`}
              rows={data}
              opened={editing}
              sending={change}
              onClose={() => setEditing(false)}
              onSave={({ limits: changed }) =>
                change.mutate({ params, body: { limits: changed } }, { onSuccess: () => setEditing(false) })
              }
            />
          </div>
        )}
      </Await>
    </Section>
  );
}

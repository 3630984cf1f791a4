import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { whyErased } from '../operator/why-erased.ts';
import { EditLimits } from './edit-limits.tsx';
import { sheetOf } from './limit-sheet.ts';
import { Limits } from './limits.tsx';

export function AccountLimits({ account }: { account: OperatorAccount }) {
  const params = { account_id: account.account_id };
  const [editing, setEditing] = useState(false);
  const limits = useRead('GET /api/v1/limits', { params });
  const change = useSend('PATCH /api/v1/limits', ['GET /api/v1/limits']);
  return (
    <Section
      title="Limits"
      hint="For all keys of the account and the panel together"
      actions={
        <ActionButton size="xs" variant="default" why={whyErased(account)} onClick={() => setEditing(true)}>
          Change limits
        </ActionButton>
      }
    >
      <Await query={limits}>
        {(data) => (
          <div className="card padded">
            <Limits rows={data.data} none="None: its balance is its only limit." />
            <EditLimits
              title={`Limits of ${account.name}`}
              rows={sheetOf(data)}
              opened={editing}
              sending={change}
              onClose={() => setEditing(false)}
              onSave={({ limits: body }) =>
                change.mutate({ params, body }, { onSuccess: () => setEditing(false) })
              }
            />
          </div>
        )}
      </Await>
    </Section>
  );
}

import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
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
        <Button size="xs" variant="default" onClick={() => setEditing(true)}>
          Change limits
        </Button>
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

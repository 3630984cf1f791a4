import type { Key } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { CardSection } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { EditLimits } from './edit-limits.tsx';
import { sheetOf } from './limit-sheet.ts';
import { Limits } from './limits.tsx';

export function KeyLimits({ apiKey }: { apiKey: Key }) {
  const params = { account_id: useAccountId(), key_id: apiKey.key_id };
  const [editing, setEditing] = useState(false);
  const limits = useRead('GET /api/v1/keys/:key_id/limits', { params });
  const change = useSend('PATCH /api/v1/keys/:key_id', [
    'GET /panel/accounts/:account_id/keys',
    'GET /api/v1/keys/:key_id',
    'GET /api/v1/keys/:key_id/limits',
  ]);
  const isOver = apiKey.status === 'disabled' || apiKey.status === 'expired';
  return (
    <CardSection
      title="Limits"
      actions={
        !isOver && (
          <Button size="compact-sm" variant="default" onClick={() => setEditing(true)}>
            Change limits
          </Button>
        )
      }
    >
      <Await query={limits}>
        {(data) => (
          <>
            <Limits rows={data.data} none="None of its own: it may use what the account may." />
            {apiKey.networks && (
              <p className="small">
                <span className="soft">Only from </span>
                <code>{apiKey.networks.join(', ')}</code>
              </p>
            )}
            <EditLimits
              title={`Limits of ${apiKey.name}`}
              rows={sheetOf(data)}
              networks={apiKey.networks}
              opened={editing}
              sending={change}
              onClose={() => setEditing(false)}
              onSave={(body) => change.mutate({ params, body }, { onSuccess: () => setEditing(false) })}
            />
          </>
        )}
      </Await>
    </CardSection>
  );
}

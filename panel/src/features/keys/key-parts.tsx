import type { Key, NewKey } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Expiry } from '../../ui/time.tsx';
import { modelName } from '../jobs/job-words.ts';
import classes from './key-parts.module.css';
import { RollKey } from './roll-key.tsx';

export function KeyModels({ models }: { models: Key['models'] }) {
  if (models === null) return <span className="soft">Every model</span>;
  return (
    <span className="row" style={{ gap: 4 }}>
      {models.map((model) => (
        <span key={model} className={classes.chip} title={modelName(model)}>
          {model}
        </span>
      ))}
    </span>
  );
}

export function KeyStatus({ apiKey }: { apiKey: Key }) {
  return (
    <div>
      <StatusBadge status={apiKey.status} />
      {apiKey.expires_at && apiKey.status !== 'disabled' && (
        <div className="soft tiny">
          <Expiry at={apiKey.expires_at} />
        </div>
      )}
    </div>
  );
}

/** Renders nothing once the key has ended. */
export function KeyActions(props: {
  apiKey: Key;
  /** The default fits a table's row. */
  size?: 'sm';
  onRolled: (made: NewKey) => void;
}) {
  const { apiKey } = props;
  const account_id = useAccountId();
  const [rolling, setRolling] = useState(false);
  const disable = useSend('POST /api/v1/keys/:key_id/disable', [
    'GET /panel/accounts/:account_id/keys',
    'GET /api/v1/keys/:key_id',
  ]);
  if (apiKey.status === 'disabled' || apiKey.status === 'expired') return null;
  return (
    <div className={classes.actions}>
      <Button
        size={props.size ?? 'compact-sm'}
        variant="default"
        aria-label={`Roll ${apiKey.name}`}
        onClick={() => setRolling(true)}
      >
        Roll
      </Button>
      <RollKey
        apiKey={apiKey}
        opened={rolling}
        onClose={() => setRolling(false)}
        onRolled={(made) => {
          setRolling(false);
          props.onRolled(made);
        }}
      />
      <ConfirmButton
        size={props.size}
        label="Disable"
        name={`Disable ${apiKey.name}`}
        title={`Disable ${apiKey.name}?`}
        action="Disable key"
        sending={disable}
        onConfirm={() => disable.mutate({ params: { account_id, key_id: apiKey.key_id } })}
      >
        Within a second, programs that use it get <code>401</code>. It stays in the list and cannot be enabled
        again. Jobs it has already created continue.
      </ConfirmButton>
    </div>
  );
}

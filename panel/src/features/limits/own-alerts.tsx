import type { Alerts } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccountId, useRights } from '../../api/account.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { wrongAmount } from '../money/amount.ts';

/** The balance and limits at which the account is warned. */
export function OwnAlerts() {
  const params = { account_id: useAccountId() };
  const rights = useRights();
  const [editing, setEditing] = useState(false);
  const alerts = useRead('GET /api/v1/alerts', { params });
  return (
    <Section
      title="Alerts"
      hint={
        alerts.data?.by_email
          ? 'By email to owners and billing, and by webhook to endpoints that name them'
          : 'By webhook, to endpoints that name them'
      }
      actions={
        rights.includes('set_alerts') && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            Change alerts
          </Button>
        )
      }
    >
      <Await query={alerts}>
        {(data) => (
          <div className="card padded">
            <Told alerts={data} />
            <Dialog title="Alerts" opened={editing} onClose={() => setEditing(false)}>
              <AlertsForm alerts={data} onClose={() => setEditing(false)} />
            </Dialog>
          </div>
        )}
      </Await>
    </Section>
  );
}

function Told({ alerts: { balance_low: low, spend_near_percent: share } }: { alerts: Alerts }) {
  if (low === null && share === null)
    return (
      <p className="soft small">
        None: the account gets no alerts about a low balance or a limit nearly used.
      </p>
    );
  return (
    <ul className="stack tight small">
      {low !== null && (
        <li>
          When the balance falls below <Money amount={low} />
        </li>
      )}
      {share !== null && (
        <li>
          When <span className="strong number">{share} %</span> of a spend limit is used, of the account or of
          a key
        </li>
      )}
    </ul>
  );
}

function AlertsForm({ alerts, onClose }: { alerts: Alerts; onClose: () => void }) {
  const { currency } = useSession();
  const account_id = useAccountId();
  const [before] = useState({
    low: alerts.balance_low ?? '',
    share: String(alerts.spend_near_percent ?? ''),
  });
  const [low, setLow] = useState(before.low);
  const [share, setShare] = useState(before.share);
  const [tried, setTried] = useState(false);
  const change = useSend('PATCH /api/v1/alerts', ['GET /api/v1/alerts']);
  const served = fieldErrors(change.error);
  const wrong = {
    low: low.trim() === '' ? undefined : wrongAmount(low),
    share: /^(|[1-9]\d?|100)$/.test(share.trim()) ? undefined : t('A whole number from 1 to 100'),
  };
  const submit = () => {
    setTried(true);
    if (wrong.low || wrong.share) return;
    // Only what is changed here, because another person may have changed the rest since the dialog was opened.
    const body = {
      ...(low !== before.low && { balance_low: low.trim() || null }),
      ...(share !== before.share && { spend_near_percent: share.trim() === '' ? null : Number(share) }),
    };
    if (Object.keys(body).length === 0) return onClose();
    change.mutate({ params: { account_id }, body }, { onSuccess: onClose });
  };
  return (
    <DialogForm action="Save alerts" sending={change} onSubmit={submit} onClose={onClose}>
      <AmountField
        label={`Balance below, ${currency}`}
        description="Sent once, and again after the balance has been above it. Empty: never."
        placeholder="Never"
        data-autofocus
        value={low}
        error={(tried && wrong.low) || served['/balance_low']}
        onChange={setLow}
      />
      <TextInput
        label="Share of a spend limit, in percent"
        description="Sent once in each hour, day or month of the limit. Empty: never."
        placeholder="Never"
        inputMode="numeric"
        value={share}
        error={(tried && wrong.share) || served['/spend_near_percent']}
        onChange={(event) => setShare(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

import type { EndpointRow } from '@darkroom/server/panel-contract';
import { Notice } from '../../ui/notice.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { RelativeTime } from '../../ui/time.tsx';

export function EndpointBadge({ endpoint }: { endpoint: EndpointRow }) {
  if (!endpoint.enabled) return <StatusBadge status={stopped(endpoint) ? 'stopped' : 'disabled'} />;
  return <StatusBadge status={endpoint.failing_since ? 'failing' : 'active'} />;
}

/** Says what is wrong with an endpoint and what to do about it. Renders nothing while it works. */
export function EndpointNotice({ endpoint }: { endpoint: EndpointRow }) {
  const { disabled_at, failing_since } = endpoint;
  if (disabled_at && stopped(endpoint)) {
    return (
      <Notice tone="bad" title="Deliveries have stopped">
        <p>
          {endpoint.disabled_reason === 'gone'
            ? 'The endpoint answered 410: it accepts no more events.'
            : 'The endpoint failed for too long.'}{' '}
          <span>
            Since <RelativeTime at={disabled_at} beside />. Enable it to resume, then replay what it missed.
          </span>
        </p>
      </Notice>
    );
  }
  if (disabled_at) {
    return (
      <Notice tone="calm" title="This endpoint is disabled">
        <p>
          Nothing has been sent to it since <RelativeTime at={disabled_at} beside />.
        </p>
      </Notice>
    );
  }
  if (!failing_since) return null;
  return (
    <Notice tone="warn" title="The endpoint is failing">
      <p>
        Every attempt has failed since <RelativeTime at={failing_since} beside />. Failed deliveries are
        retried.
      </p>
    </Notice>
  );
}

export function Events({ events }: Pick<EndpointRow, 'events'>) {
  if (events === null) return <span className="soft">Every end of a job</span>;
  return (
    <span className="row" style={{ gap: '2px 8px' }}>
      {events.map((type) => (
        <code key={type}>{type}</code>
      ))}
    </span>
  );
}

/** Whether Darkroom, not a person, disabled the endpoint. */
function stopped({ disabled_reason }: EndpointRow): boolean {
  return disabled_reason === 'gone' || disabled_reason === 'failing';
}

import type { ModelLock } from '@darkroom/server/panel-contract';
import { Fragment } from 'react';
import { Notice } from '../../ui/notice.tsx';

export function Locked({ lock }: { lock: ModelLock }) {
  return (
    <Notice tone="calm" title="This model is set by the configuration file">
      <p>
        Change it in <code>{lock.file}</code>, at{' '}
        {lock.places.map((place, index) => (
          <Fragment key={place}>
            {index > 0 && ' and '}
            <code>{place}</code>
          </Fragment>
        ))}
        , and restart.
      </p>
    </Notice>
  );
}

import type { ModelVersionRow, OperatorModelDetail } from '@darkroom/server/panel-contract';
import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { announce } from '../../ui/announce.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { actorText } from '../operator/audit-words.ts';
import { Changes } from './changes.tsx';
import classes from './editor.module.css';

export function VersionList({ model }: { model: OperatorModelDetail }) {
  const [chosen, setChosen] = useState<number>();
  return (
    <>
      <ol className={classes.versions} aria-label="Versions, newest first">
        {model.versions.map((one) => (
          <Version
            key={one.version}
            version={one}
            canGoBack={!model.locked && !one.removed && one.version !== model.version}
            onGoBack={() => setChosen(one.version)}
          />
        ))}
      </ol>
      <Dialog
        title={`Go back to version ${chosen}?`}
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
      >
        {chosen !== undefined && (
          <Restore model={model} version={chosen} onClose={() => setChosen(undefined)} />
        )}
      </Dialog>
    </>
  );
}

function Version(props: { version: ModelVersionRow; canGoBack: boolean; onGoBack: () => void }) {
  const { version, at, author, removed, changes } = props.version;
  return (
    <li className={classes.version}>
      <div className="row">
        <h2>Version {version}</h2>
        <span className="soft small">
          {actorText(author)}, <RelativeTime at={at} />
        </span>
        {props.canGoBack && (
          <Button
            className="end"
            size="compact-sm"
            variant="default"
            aria-label={`Go back to version ${version}`}
            onClick={props.onGoBack}
          >
            Go back
          </Button>
        )}
      </div>
      {removed ? <p className="small">Removed the model.</p> : <Differences row={props.version} />}
      {!removed && Object.keys(changes).length === 0 && <p className="soft small">Nothing differs.</p>}
    </li>
  );
}

/** Folds a long list of changes, such as that of a first version, which differs in everything. */
function Differences({ row: { changes } }: { row: ModelVersionRow }) {
  const count = Object.keys(changes).length;
  if (count === 0) return null;
  if (count <= shownChanges) return <Changes changes={changes} />;
  return (
    <details>
      <summary>{t('{count, plural, one {# field} other {# fields}}', { count })}</summary>
      <Changes changes={changes} />
    </details>
  );
}

const shownChanges = 8;

function Restore(props: { model: OperatorModelDetail; version: number; onClose: () => void }) {
  const { model, version, onClose } = props;
  const params = { model_id: model.model, version: String(version) };
  const older = useRead('GET /admin/v1/models/:model_id/versions/:version', { params });
  const restore = useSend('POST /admin/v1/models/:model_id/restore', [
    'GET /panel/operator/models/:model_id',
    'GET /panel/operator/models',
    'GET /admin/v1/models/:model_id/versions/:version',
  ]);
  return (
    <>
      <Await query={older} wait={<Skeleton height={80} />}>
        {({ changes }) => <Changes changes={changes} />}
      </Await>
      <ProblemAlert error={restore.error} />
      <div className="row">
        <Button
          loading={restore.isPending}
          onClick={() =>
            restore.mutate(
              { params, body: { version, if_version: model.version } },
              {
                onSuccess() {
                  announce(
                    t('Version {version} is as version {version2}', {
                      version: model.version + 1,
                      version2: version,
                    }),
                  );
                  onClose();
                },
              },
            )
          }
        >
          Go back to version {version}
        </Button>
        <Button variant="default" onClick={onClose}>
          Keep version {model.version}
        </Button>
      </div>
    </>
  );
}

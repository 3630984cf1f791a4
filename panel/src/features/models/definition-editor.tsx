import type { ModelDefinition, OperatorModelDetail } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { announce } from '../../ui/announce.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Changes } from './changes.tsx';
import { DefinitionForm } from './definition-form.tsx';
import { type Draft, repeatedName, toDefinition, toDraft } from './draft.ts';
import classes from './editor.module.css';
import { ParsedField, readObject, UnreadableCount, wouldBeLost } from './text-fields.tsx';

/** Shows the changes before it saves them. */
export function DefinitionEditor(props: {
  model: OperatorModelDetail;
  definition: ModelDefinition;
  onSaved: (model: OperatorModelDetail) => void;
  onDiscard: () => void;
}) {
  const { model, definition } = props;
  const [draft, setDraft] = useState(() => toDraft(definition));
  const [asJson, setAsJson] = useState(false);
  const [unreadable, setUnreadable] = useState(0);
  const compare = useSend('POST /admin/v1/models');
  const repeated = repeatedName(draft);
  const edited = toDefinition(draft);
  const isSame = JSON.stringify(edited) === JSON.stringify(toDefinition(toDraft(definition)));
  const state = unreadable > 0 ? 'unreadable' : isSame ? 'same' : 'edited';
  return (
    <div className="stack wide">
      <UnreadableCount value={setUnreadable}>
        {asJson ? (
          <Json draft={draft} onChange={setDraft} />
        ) : (
          <DefinitionForm
            model={model}
            draft={draft}
            errors={fieldErrors(compare.error)}
            onChange={setDraft}
          />
        )}
      </UnreadableCount>
      <div className={classes.bar}>
        <div className="stack" style={{ flexBasis: '100%' }} hidden={!compare.error && !repeated}>
          <ProblemAlert error={compare.error} />
          {repeated !== undefined && (
            <Notice tone="bad" title={`The name "${repeated}" is used twice.`} alert />
          )}
        </div>
        <Button
          loading={compare.isPending}
          disabled={state !== 'edited' || repeated !== undefined}
          onClick={() => compare.mutate({ body: changeOf(model, edited) })}
        >
          Review changes
        </Button>
        {state !== 'same' && (
          <Button variant="default" onClick={props.onDiscard}>
            Discard
          </Button>
        )}
        <span className="soft small" aria-live="polite">
          {stateWords[state]}
        </span>
        <Switch asJson={asJson} isBlocked={state === 'unreadable'} onSwitch={setAsJson} />
      </div>
      <Review
        model={model}
        definition={edited}
        changes={compare.data && (compare.data.differences[0]?.changes ?? {})}
        onClose={compare.reset}
        onSaved={props.onSaved}
      />
    </div>
  );
}

const stateWords = {
  unreadable: t('Not readable yet'),
  same: t('No changes'),
  edited: t('Not saved'),
};

function Switch(props: { asJson: boolean; isBlocked: boolean; onSwitch: (asJson: boolean) => void }) {
  const { asJson, isBlocked } = props;
  return (
    <ActionButton
      className="end"
      size="compact-sm"
      variant="subtle"
      aria-label={asJson ? 'Edit as form' : 'Edit as JSON'}
      why={isBlocked ? wouldBeLost : undefined}
      onClick={() => props.onSwitch(!asJson)}
    >
      {asJson ? 'Form' : 'JSON'}
    </ActionButton>
  );
}

function Review(props: {
  model: OperatorModelDetail;
  definition: ModelDefinition;
  changes: Record<string, string> | undefined;
  onClose: () => void;
  onSaved: (model: OperatorModelDetail) => void;
}) {
  const { model, definition, changes } = props;
  const save = useSend('POST /admin/v1/models', [
    'GET /panel/operator/models/:model_id',
    'GET /panel/operator/models',
  ]);
  const close = () => {
    save.reset();
    props.onClose();
  };
  return (
    <Dialog title={`Save version ${model.version + 1}?`} opened={changes !== undefined} onClose={close}>
      <p className="soft small">
        Jobs that were accepted keep their sizes and their price. All processes follow within a second.
      </p>
      <Changes changes={changes ?? {}} />
      <ProblemAlert error={save.error} />
      <div className="row">
        <Button
          loading={save.isPending}
          disabled={Object.keys(changes ?? {}).length === 0}
          onClick={() =>
            save.mutate(
              { body: { ...changeOf(model, definition), apply: true } },
              {
                onSuccess() {
                  const version = model.version + 1; // the server refuses a change of any other version
                  announce(t('Version {version} is saved', { version }));
                  close();
                  props.onSaved({ ...model, definition, version });
                },
              },
            )
          }
        >
          Save
        </Button>
        <Button variant="default" onClick={close}>
          Keep editing
        </Button>
      </div>
    </Dialog>
  );
}

function changeOf({ model, version }: OperatorModelDetail, definition: ModelDefinition) {
  return { models: [definition], if_versions: { [model]: version } };
}

function Json({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  return (
    <ParsedField
      label="Definition"
      description="The format of the configuration file. Mistakes are named by their path."
      value={toDefinition(draft)}
      write={(definition) => JSON.stringify(definition, null, 2)}
      read={(text) => readObject(text) as unknown as ModelDefinition} // the server checks it
      onChange={(definition) => onChange(toDraft(definition))}
    />
  );
}

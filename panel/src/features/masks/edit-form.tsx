import { NativeSelect, SegmentedControl, Textarea } from '@mantine/core';
import { useAccount, useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import classes from '../make/make-form.module.css';
import { MakeProblem } from '../make/make-problem.tsx';
import { makeWords } from '../make/plan.ts';
import { microsOf } from '../money/sum.ts';
import { ExtendTools } from './extend-tools.tsx';
import { planEdit, useMakeEdit } from './make-edit.ts';
import { isBlank } from './mask-steps.ts';
import { MaskTools } from './mask-tools.tsx';
import type { Editor } from './use-editor.ts';

export function EditForm({ editor, onMade }: { editor: Editor; onMade: (jobId: string) => void }) {
  const { edit, models, tool, brush, mask, set } = editor;
  const { currency } = useSession();
  const make = useMakeEdit(onMade);
  const { plan } = planEdit(edit);
  const why = useWhyNot(editor, plan.total);
  const submit = () => {
    if (!why && !make.isPending) make.mutate(edit);
  };
  return (
    <div className={classes.form}>
      <SegmentedControl
        aria-label="What to change"
        fullWidth
        value={tool}
        onChange={(chosen) => set({ tool: chosen })}
        data={[
          { value: 'brush', label: t('Paint over') },
          { value: 'extend', label: t('Extend') },
        ]}
      />
      <Textarea
        label="Prompt"
        placeholder={tool === 'brush' ? 'What should be there instead?' : 'What should be around it?'}
        autosize
        dir="auto"
        minRows={2}
        maxRows={8}
        maxLength={edit.model.max_prompt_length}
        value={edit.prompt}
        aria-keyshortcuts="Control+Enter"
        onChange={(event) => set({ prompt: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
        }}
      />
      {tool === 'brush' ? (
        <MaskTools brush={brush} mask={mask} onBrush={(some) => set({ brush: { ...brush, ...some } })} />
      ) : (
        <ExtendTools extension={editor.extension} onChange={set} />
      )}
      {models.length > 1 && (
        <NativeSelect
          label="Model"
          value={edit.model.id}
          onChange={(event) => set({ model: event.currentTarget.value })}
          data={models.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <div className={classes.submit}>
        <MakeProblem make={make} />
        <ActionButton why={why} loading={make.isPending} size="md" onClick={submit}>
          {makeWords(plan, currency)}
        </ActionButton>
        <p className="small soft">{why ?? 'Unmarked parts stay as they are. Failed jobs are not charged.'}</p>
      </div>
    </div>
  );
}

function useWhyNot({ edit, mask, tool }: Editor, total: string): string | undefined {
  const disabled = useAccount()?.disabled ?? false;
  const params = { account_id: useAccountId() };
  const available = useRead('GET /api/v1/balance', { params }).data?.available;
  if (disabled) return t('This account is disabled.');
  if (edit.model.paused)
    return t('{name} is paused. Choose another model or try again later.', { name: edit.model.name });
  if (available !== undefined && microsOf(total) > microsOf(available))
    return t('This costs {total}, and {available} is available. Ask an operator to credit the account.', {
      total,
      available,
    });
  if (tool === 'brush' && isBlank(mask.steps)) return t('Paint over what should change.');
  if (edit.prompt.trim() === '') return t('Write what should be there.');
  return undefined;
}

import { useAccount, useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Link, useGo } from '../../ui/link.tsx';
import { emptyDraft, fitted } from './empty-draft.ts';
import { useMake } from './make.ts';
import { MakeProblem } from './make-problem.tsx';
import { fits, makeWords, planOf, wishOf } from './plan.ts';
import { usePrompts } from './prompts.ts';
import classes from './quick-prompt.module.css';
import { variablesOf } from './template.ts';

export function QuickMake({ prompt, onMade }: { prompt: string; onMade: (jobId: string) => void }) {
  const accountId = useAccountId();
  const { currency } = useSession();
  const disabled = useAccount()?.disabled ?? false;
  const prompts = usePrompts(accountId);
  const offer = useOffer(accountId);
  const go = useGo();
  const make = useMake(([made = '']) => {
    prompts.remember(prompt);
    onMade(made);
  });
  const inMake = paths.make(accountId, { prompt: prompt.trim() });
  const also = offer?.others.map(({ id }) => id).join(',');
  const submit = () => {
    if (!offer || variablesOf(prompt).length > 0) go(inMake);
    else make.mutate(wishOf({ ...offer.draft, prompt }, offer.plan, prompt));
  };
  return (
    <>
      <ActionButton
        type="submit"
        size="md"
        why={disabled ? 'This account is disabled.' : undefined}
        loading={make.isPending}
        onClick={submit}
      >
        {offer ? makeWords(offer.plan, currency) : 'Make image'}
      </ActionButton>
      <p className={`small soft ${classes.below}`}>
        {offer && `${offer.model.name}, ${offer.draft.ratio}, ${offer.draft.resolution}. `}
        <Link href={inMake}>Choose model, shape and size</Link>
        {also && (
          <>
            {' or '}
            <Link href={paths.make(accountId, { prompt: prompt.trim(), model: offer?.model.id, also })}>
              compare {(offer?.others.length ?? 0) + 1} models
            </Link>
          </>
        )}
      </p>
      <div className={classes.below}>
        <MakeProblem make={make} />
      </div>
    </>
  );
}

/** The maximum number of other models in a comparison. It is low, so that comparing is quick and cheap. */
const comparedBeside = 3;

/** Plans one image from an empty form, by a model that is available now. */
function useOffer(account_id: string) {
  const input = { params: { account_id } };
  const models = useRead('GET /api/v1/models', input).data?.data ?? [];
  const ready = models.filter(({ paused, modes }) => !paused && modes.includes('text'));
  const model = ready.find((one) => one.id === emptyDraft.model) ?? ready[0];
  if (!model) return undefined;
  const draft = fitted({ ...emptyDraft, model: model.id }, model);
  const others = ready.filter((one) => one !== model && fits(one, draft)).slice(0, comparedBeside);
  return { model, others, draft, plan: planOf(draft, model, models) };
}

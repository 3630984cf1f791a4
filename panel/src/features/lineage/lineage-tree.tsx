import type { Job, JobDetail } from '@darkroom/server/panel-contract';
import { Fragment, useMemo } from 'react';
import { useAccountId } from '../../api/account.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Thumb } from '../jobs/thumb.tsx';
import { comparePrompts } from './compare-prompts.ts';
import classes from './lineage-tree.module.css';

/** The server's maximum. */
const mostDescendants = 50;

/** Shows an image's origins and the images made from it, with the changes in their prompts, if it has any. */
export function LineageTree({
  job,
  lineage: { ancestors, descendants },
}: Pick<JobDetail, 'job' | 'lineage'>) {
  const past = [...ancestors].reverse();
  const byOrigin: ByOrigin = useMemo(
    () => Map.groupBy(descendants, ({ origin }) => origin?.job_id),
    [descendants],
  );
  if (!job.origin && descendants.length === 0) return null;
  const isCut = (past[0] ?? job).origin !== undefined;
  return (
    <Section title="Lineage">
      <ol className={classes.tree}>
        {isCut && (
          <li className={classes.earlier}>{past.length > 0 ? 'Earlier jobs' : 'A job that is gone'}</li>
        )}
        {past.map((one, index) => (
          <li key={one.job_id}>
            <Step job={one} before={past[index - 1]} />
          </li>
        ))}
        <li aria-current="true">
          <Step job={job} before={past.at(-1)} isShown />
          <Branch of={job} inside={byOrigin} />
        </li>
      </ol>
      {descendants.length === mostDescendants && (
        <p className="small soft">{mostDescendants} of those that came from it are shown.</p>
      )}
    </Section>
  );
}

type ByOrigin = ReadonlyMap<string | undefined, Job[]>;

function Branch({ of, inside }: { of: Job; inside: ByOrigin }) {
  const own = inside.get(of.job_id);
  if (!own) return null;
  return (
    <ol className={classes.branch}>
      {own.map((child) => (
        <li key={child.job_id}>
          <Step job={child} before={of} />
          <Branch of={child} inside={inside} />
        </li>
      ))}
    </ol>
  );
}

function Step(props: { job: Job; before: Job | undefined; isShown?: boolean }) {
  const { job, before, isShown = false } = props;
  const accountId = useAccountId();
  const content = (
    <>
      <Thumb job={{ ...job, prompt: '' }} size={44} />
      <span className={classes.words}>
        <span className="tiny soft">{isShown ? 'This job' : kindOf(job)}</span>
        <span className={classes.prompt} dir="auto">
          <Change before={before?.prompt} after={job.prompt} isGone={job.prompt === ''} />
        </span>
      </span>
    </>
  );
  if (isShown) return <span className={classes.row}>{content}</span>;
  return (
    <Link href={paths.job(accountId, job.job_id)} className={`bare ${classes.row}`}>
      {content}
    </Link>
  );
}

function kindOf({ origin, status }: Job): string {
  return kinds[origin?.kind ?? 'first'][status === 'failed' ? 'failed' : 'other'];
}

const kinds = {
  first: { failed: t('First job, failed'), other: t('First job') },
  input: { failed: t('Image used as input, failed'), other: t('Image used as input') },
  again: { failed: t('Run again, failed'), other: t('Run again') },
  edit: { failed: t('Edited, failed'), other: t('Edited') },
};

/** A prompt, or only its changes if it is an edit of the previous prompt. */
function Change(props: { before: string | undefined; after: string; isGone: boolean }) {
  const { before, after, isGone } = props;
  const pieces = useMemo(() => (before ? comparePrompts(before, after) : null), [before, after]);
  if (isGone) return <span className="soft">The prompt was deleted</span>;
  if (before === after) return <span className="soft">The same prompt</span>;
  if (!pieces) return after;
  return pieces.map(({ kind, text }, index) => {
    const Word = marks[kind];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces change only together
      <Fragment key={index}>
        <Word>{text.trimEnd()}</Word>
        {text.slice(text.trimEnd().length)}
      </Fragment>
    );
  });
}

const marks = { same: 'span', gap: 'span', added: 'ins', removed: 'del' } as const;

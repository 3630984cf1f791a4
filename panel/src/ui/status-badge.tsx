import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconLoader2 as IconLoader,
  IconPlayerPause as IconPause,
  IconX,
} from '@tabler/icons-react';
import { t } from '../languages/words.ts';
import classes from './status-badge.module.css';

type Tone = 'good' | 'warn' | 'busy' | 'bad' | 'calm';

/** A state shown by icon, word and colour together. */
export function StatusBadge({ status }: { status: keyof typeof looks }) {
  const { tone, icon: Icon, word } = looks[status];
  return (
    <span className={classes.badge} data-tone={tone} data-status={status}>
      <Icon
        size={13}
        stroke={2.2}
        aria-hidden
        className={status === 'processing' ? classes.turning : undefined}
      />
      {word}
    </span>
  );
}

const looks = {
  queued: { tone: 'calm', icon: IconClock, word: t('Queued') },
  processing: { tone: 'busy', icon: IconLoader, word: t('Processing') },
  done: { tone: 'good', icon: IconCheck, word: t('Done') },
  failed: { tone: 'bad', icon: IconX, word: t('Failed') },

  active: { tone: 'good', icon: IconCheck, word: t('Active') },
  expiring: { tone: 'warn', icon: IconClock, word: t('Expiring') },
  expired: { tone: 'calm', icon: IconBan, word: t('Expired') },
  disabled: { tone: 'calm', icon: IconBan, word: t('Disabled') },
  erased: { tone: 'calm', icon: IconBan, word: t('Erased') },
  failing: { tone: 'warn', icon: IconAlertTriangle, word: t('Failing') },
  stopped: { tone: 'bad', icon: IconAlertTriangle, word: t('Stopped') },

  pending: { tone: 'busy', icon: IconClock, word: t('Pending') },
  delivered: { tone: 'good', icon: IconCheck, word: t('Delivered') },
  cancelling: { tone: 'warn', icon: IconBan, word: t('Cancelling') },
  cancelled: { tone: 'calm', icon: IconBan, word: t('Cancelled') },

  accepting: { tone: 'good', icon: IconCheck, word: t('Accepts jobs') },
  paused: { tone: 'warn', icon: IconPause, word: t('Paused') },
  closed: { tone: 'good', icon: IconCheck, word: t('Closed') },
  half_open: { tone: 'warn', icon: IconClock, word: t('Half open') },
  open: { tone: 'bad', icon: IconAlertTriangle, word: t('Open') },
  rate_limited: { tone: 'warn', icon: IconClock, word: t('Rate limited') },
  rejected: { tone: 'bad', icon: IconBan, word: t('Refused') },

  paid: { tone: 'good', icon: IconCheck, word: t('Paid') },
  unclaimed: { tone: 'warn', icon: IconAlertTriangle, word: t('Unclaimed') },
  withdrawn: { tone: 'calm', icon: IconBan, word: t('Withdrawn') },

  ok: { tone: 'good', icon: IconCheck, word: t('Answers') },
  broken: { tone: 'bad', icon: IconAlertTriangle, word: t('Does not answer') },
} as const satisfies Record<string, { tone: Tone; icon: Icon; word: string }>;

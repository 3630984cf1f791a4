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
import classes from './status-badge.module.css';

type Tone = 'good' | 'warn' | 'busy' | 'bad' | 'calm';

/** A state as icon, word and colour, never by one alone. */
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
  queued: { tone: 'calm', icon: IconClock, word: 'Queued' },
  processing: { tone: 'busy', icon: IconLoader, word: 'Processing' },
  done: { tone: 'good', icon: IconCheck, word: 'Done' },
  failed: { tone: 'bad', icon: IconX, word: 'Failed' },

  active: { tone: 'good', icon: IconCheck, word: 'Active' },
  expiring: { tone: 'warn', icon: IconClock, word: 'Expiring' },
  expired: { tone: 'calm', icon: IconBan, word: 'Expired' },
  disabled: { tone: 'calm', icon: IconBan, word: 'Disabled' },
  erased: { tone: 'calm', icon: IconBan, word: 'Erased' },
  failing: { tone: 'warn', icon: IconAlertTriangle, word: 'Failing' },
  stopped: { tone: 'bad', icon: IconAlertTriangle, word: 'Stopped' },

  pending: { tone: 'busy', icon: IconClock, word: 'Pending' },
  delivered: { tone: 'good', icon: IconCheck, word: 'Delivered' },
  cancelling: { tone: 'warn', icon: IconBan, word: 'Cancelling' },
  cancelled: { tone: 'calm', icon: IconBan, word: 'Cancelled' },

  accepting: { tone: 'good', icon: IconCheck, word: 'Accepts jobs' },
  paused: { tone: 'warn', icon: IconPause, word: 'Paused' },
  closed: { tone: 'good', icon: IconCheck, word: 'Closed' },
  half_open: { tone: 'warn', icon: IconClock, word: 'Half open' },
  open: { tone: 'bad', icon: IconAlertTriangle, word: 'Open' },
  rate_limited: { tone: 'warn', icon: IconClock, word: 'Rate limited' },
  rejected: { tone: 'bad', icon: IconBan, word: 'Rejected' },

  paid: { tone: 'good', icon: IconCheck, word: 'Paid' },
  unclaimed: { tone: 'warn', icon: IconAlertTriangle, word: 'Unclaimed' },
  withdrawn: { tone: 'calm', icon: IconBan, word: 'Withdrawn' },

  ok: { tone: 'good', icon: IconCheck, word: 'Answers' },
  broken: { tone: 'bad', icon: IconAlertTriangle, word: 'Does not answer' },
} as const satisfies Record<string, { tone: Tone; icon: Icon; word: string }>;

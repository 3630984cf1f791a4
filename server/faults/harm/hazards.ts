import { noSmallDisk } from '../../test/faults/support/small-disk.ts';
import type { DatabaseKind } from '../cast.ts';
import type { FaultKind } from '../plan.ts';
import type { Random } from '../random.ts';
import { findOlderCommit } from './older-program.ts';
import { whyNoSkew } from './skew.ts';
import { whyNoTracing } from './trace-syncs.ts';

export interface Hazards {
  /** Whether the database is on a small disk that can be filled. */
  disk: boolean;
  /** The errors of hosts' clocks in seconds, by the host's name. */
  skews: ReadonlyMap<string, number>;
  olderCommit: string | undefined;
  without: ReadonlySet<FaultKind>;
  leftOut: string[];
}

// The largest clock error, which is the length of a lease.
const maxSkewSeconds = 20;

export function findHazards(database: DatabaseKind, random: Random): Hazards {
  const isPostgres = database === 'postgres';
  const olderCommit = isPostgres ? findOlderCommit() : undefined;
  const reasons: [kinds: FaultKind[], name: string, reason: string | undefined][] = [
    [['sync'], 'syncs', whyNoTracing()],
    [['disk-full'], 'a full disk', noSmallDisk ? 'needs the right to mount a tmpfs' : undefined],
    ...(isPostgres
      ? (
          [
            [
              ['change-version'],
              'two versions',
              olderCommit ? undefined : 'the older program is not in this copy',
            ],
            [[], 'wrong clocks', whyNoSkew],
          ] as const
        ).map(([kinds, name, reason]): [FaultKind[], string, string | undefined] => [
          [...kinds],
          name,
          reason,
        ])
      : []),
  ];
  const missing = reasons.flatMap(([kinds, name, reason]) =>
    reason ? [{ kinds, why: `${name}: ${reason}` }] : [],
  );
  const skew = (name: string): [string, number] => [name, random.between(-maxSkewSeconds, maxSkewSeconds)];
  return {
    disk: !noSmallDisk,
    skews: new Map(whyNoSkew === undefined ? ['api-1', 'api-2', 'worker-1', 'worker-2'].map(skew) : []),
    olderCommit,
    without: new Set(missing.flatMap(({ kinds }) => kinds)),
    leftOut: missing.map(({ why }) => why),
  };
}

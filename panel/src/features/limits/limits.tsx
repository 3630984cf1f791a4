import type { LimitRow } from '@darkroom/server/panel-contract';
import { useSession } from '../../api/session.ts';
import { RelativeTime } from '../../ui/time.tsx';
import { bytesText } from '../jobs/bytes.ts';
import { amountText, limitName } from './limit-words.ts';
import classes from './limits.module.css';

/** The used share of a limit at which people see a warning. */
const near = 0.75;

export function Limits({ rows, none }: { rows: readonly LimitRow[]; none: string }) {
  const set = rows.filter(({ most }) => most !== null);
  if (set.length === 0) return <p className="soft small">{none}</p>;
  return (
    <ul className={classes.limits} aria-label="Limits">
      {set.map((row) => (
        <Limit key={row.limit} row={row} />
      ))}
    </ul>
  );
}

export function NearestLimit({ rows }: { rows: readonly LimitRow[] }) {
  const [nearest] = rows
    .filter(({ most }) => most !== null)
    .toSorted((one, other) => (shareOf(other) ?? 0) - (shareOf(one) ?? 0));
  return (
    <div className={classes.nearest}>
      <Limits rows={nearest ? [nearest] : []} none="None of its own" />
    </div>
  );
}

/** The used share of a limit; null if there is no limit or its use is not counted. */
function shareOf({ most, used }: LimitRow): number | null {
  return most === null || used === null ? null : Math.min(1, Number(used) / Number(most));
}

function Limit({ row }: { row: LimitRow }) {
  const { currency } = useSession();
  const { unit, most, used, resets_at } = row;
  const share = shareOf(row);
  const state = share === null || share < near ? undefined : share < 1 ? 'near' : 'reached';
  return (
    <li className={classes.limit} data-state={state}>
      <div className={classes.line}>
        <span>{limitName(row)}</span>
        <span className="number nowrap">
          {used !== null && `${unit === 'bytes' ? bytesText(Number(used)) : amountText(unit, used)} of `}
          <span className="strong">{amountText(unit, most ?? '')}</span>
          {unit === 'money' && <span className="soft tiny"> {currency}</span>}
        </span>
      </div>
      {share !== null && (
        <div className={classes.track} aria-hidden>
          <i style={{ width: `${share * 100}%` }} />
        </div>
      )}
      {(state === 'reached' || resets_at !== null) && (
        <p className={`${classes.state} soft tiny`}>
          {resets_at === null ? (
            'Reached'
          ) : state === 'reached' ? (
            <>
              Reached, resets <RelativeTime at={resets_at} />
            </>
          ) : (
            <>
              Resets <RelativeTime at={resets_at} />
            </>
          )}
        </p>
      )}
    </li>
  );
}

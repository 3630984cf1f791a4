import type { AnswerOf } from '@darkroom/server/panel-contract';
import { decimals, shortDay, utcDay } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { Bars } from '../../ui/figures/bars.tsx';
import { Figure, Figures } from '../../ui/figures/figures.tsx';
import { Money } from '../../ui/money.tsx';
import { movementWords } from './movements.ts';
import { sumOf } from './sum.ts';

type Owed = AnswerOf<'GET /admin/v1/owed'>;
type Movement = keyof typeof movementWords;

/** Each figure shows a movement, some with a second movement as a hint. */
const shown: [Movement, Movement?][] = [['sold'], ['given', 'voucher'], ['refunded', 'taken'], ['captured']];

function hintOf(days: Owed['data'], kind: Movement) {
  const total = totalOf(days, kind);
  return (
    Number(total) !== 0 && (
      <>
        {movementWords[kind]} <Money amount={total} sign />
      </>
    )
  );
}

function totalOf(days: Owed['data'], kind: Movement): string {
  return sumOf(days.map((day) => day[kind]));
}

export function OwedDays({ data: days, currency, erased }: Owed) {
  return (
    <>
      <Figures>
        <Figure
          name="Owed"
          hint={
            Number(erased) > 0 && (
              <>
                <Money amount={erased} /> now of erased accounts
              </>
            )
          }
        >
          <Money amount={days[0]?.owed ?? '0.00'} />
        </Figure>
        {shown.map(([kind, beside]) => (
          <Figure key={kind} name={movementWords[kind]} hint={beside && hintOf(days, beside)}>
            <Money amount={totalOf(days, kind)} sign />
          </Figure>
        ))}
      </Figures>
      <div className="card padded">
        <Bars
          label="Owed at the end of each day; the CSV has the numbers"
          series={[{ name: t('Owed'), color: 'var(--series-1)' }]}
          items={days.toReversed().map((one) => ({
            name: one.day,
            tick: shortDay(one.day),
            values: [Number(one.owed)],
            text: t('{day}: owed {owed}, sold {sold}, captured {captured} {currency}', {
              day: utcDay(one.day),
              owed: one.owed,
              sold: one.sold,
              captured: one.captured,
              currency,
            }),
          }))}
          height={180}
          format={(value) => decimals(value, 2)}
        />
      </div>
    </>
  );
}

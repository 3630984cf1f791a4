import { firstIdAt } from '../../../base/std/ids.ts';
import { batchGoesFirst } from '../line-order.ts';
import { type Line, lengthOf } from './queue-state.ts';

/** An account's waiting jobs for one model while the queue is simulated. Times are milliseconds from now. */
export class Moving {
  readonly accountId: string;
  readonly model: string;
  /** The arrival times of expected jobs, none of which belongs to a batch. */
  readonly later: number[] = [];
  readonly #others = new Lane();
  readonly #batched = new Lane();
  #laterBegun = 0;

  constructor(accountId: string, model: string) {
    this.accountId = accountId;
    this.model = model;
  }

  get begun(): number {
    return this.#others.begun + this.#batched.begun + this.#laterBegun;
  }

  add(line: Line): void {
    (line.ofBatches ? this.#batched : this.#others).line = line;
  }

  oldestId(epochMs: number): string | undefined {
    const [batched, other] = [this.#batched.headId, this.#otherId(epochMs)];
    return batched !== undefined && (other === undefined || batched < other) ? batched : other;
  }

  /** Removes the first job. Returns its queue; null for an expected job. */
  begin(epochMs: number): Line | null {
    const [batched, other] = [this.#batched.headId, this.#otherId(epochMs)];
    // The draw needs ids, which are unknown far back in a queue and for expected jobs.
    const isKnown = this.#batched.isAtMark && this.#others.isAtMark;
    const drawn = isKnown ? undefined : this.begun;
    if (batched !== undefined && (other === undefined || batchGoesFirst(batched, other, drawn)))
      return this.#batched.begin();
    if (this.#others.headId !== undefined) return this.#others.begin();
    this.#laterBegun += 1;
    return null;
  }

  #otherId(epochMs: number): string | undefined {
    const cameAt = this.later[this.#laterBegun];
    return this.#others.headId ?? (cameAt === undefined ? undefined : firstIdAt(epochMs + cameAt));
  }
}

class Lane {
  line: Line | null = null;
  begun = 0;
  /** The index of the last mark at or before the head. */
  #mark = 0;

  get headId(): string | undefined {
    return this.line && this.begun < lengthOf(this.line) ? this.line.marks[this.#mark]?.id : undefined;
  }

  get isAtMark(): boolean {
    return this.line?.marks[this.#mark]?.rank === this.begun + 1;
  }

  begin(): Line | null {
    this.begun += 1;
    while ((this.line?.marks[this.#mark + 1]?.rank ?? Number.POSITIVE_INFINITY) <= this.begun + 1)
      this.#mark += 1;
    return this.line;
  }
}

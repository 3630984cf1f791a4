/** A file in which a vendor lists its charges. Each provider names its vendor's formats. */
export interface BillFormat {
  title: string;
  /**
   * Column heads that identify the format: its files have at least one head of each list. Heads are reduced to
   * lowercase letters and digits.
   */
  signs: readonly (readonly string[])[];
  /** The time zone of dates without a time. */
  timeZone: 'UTC' | 'America/Los_Angeles';
  /** True if a line names its model within a sentence; otherwise the name is the model's id in requests. */
  inWords?: true;
  /** True if amounts are rounded to the decimal places in the file. */
  isRounded?: true;
  /** Reads a row; undefined if it is not about images. */
  read(cell: Cell): BilledRow | undefined;
}

export type Cell = (...names: readonly string[]) => string | undefined;

export interface BilledRow {
  from: string | undefined;
  until?: string | undefined;
  model: string | undefined;
  /** The number of images, if the file counts them. */
  count?: string | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
}

export interface BillLine {
  /** Days since the epoch, in the bill's time zone. */
  day: number;
  model: string;
  count: number | null;
  micros: bigint | null;
  /** The largest possible rounding error of `micros`. */
  slackMicros: bigint;
}

export interface Bill extends Pick<BillFormat, 'title' | 'timeZone' | 'inWords'> {
  /** The currency in capitals; null if the file does not name it. */
  currency: string | null;
  lines: BillLine[];
}

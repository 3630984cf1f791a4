/** The format of a file in which a vendor lists its charges. Each provider has the formats of its vendor. */
export interface BillFormat {
  /** The name by which operators know the file. */
  title: string;
  /** The file has one column head of each list: lower case, letters and digits only. */
  signs: readonly (readonly string[])[];
  /** The time zone of dates without a time. */
  timeZone: 'UTC' | 'America/Los_Angeles';
  /** Set if model names are part of a sentence. Otherwise they are the ids of requests. */
  inWords?: true;
  /** Set if amounts are rounded to the places that the file shows. */
  isRounded?: true;
  /** Undefined for rows that are not about images. */
  read(cell: Cell): BilledRow | undefined;
}

/** Returns the first non-empty one of these columns. */
export type Cell = (...names: readonly string[]) => string | undefined;

export interface BilledRow {
  /** A day or a time, as the file writes it. */
  from: string | undefined;
  /** The end, if the file has one. */
  until?: string | undefined;
  model: string | undefined;
  /** The number of images, if the file counts them. */
  count?: string | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
}

/** The charges of one model on one day. */
export interface BillLine {
  /** Counted since the epoch, in the time zone of the bill. */
  day: number;
  /** The vendor's name for the model. */
  model: string;
  count: number | null;
  micros: bigint | null;
  /** The rounding error of the amount. */
  slackMicros: bigint;
}

export interface Bill extends Pick<BillFormat, 'title' | 'timeZone' | 'inWords'> {
  /** The currency in capitals; null if the file does not name it. */
  currency: string | null;
  /** The lines, at least one, the earliest first. */
  lines: BillLine[];
}

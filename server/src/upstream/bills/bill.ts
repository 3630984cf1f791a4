/** How a vendor writes down what it charges for, in a file that its customers download. Each provider has those of its vendor. */
export interface BillFormat {
  /** As operators know the file. */
  title: string;
  /** What the heads of its columns have, of each list one: in lower case, letters and digits alone. */
  signs: readonly (readonly string[])[];
  /** Of days without a time. */
  timeZone: 'UTC' | 'America/Los_Angeles';
  /** Whether the names of models are part of a sentence; else they are those that requests have. */
  inWords?: true;
  /** Whether amounts are rounded to the places that the file shows. */
  isRounded?: true;
  /** Undefined for what has nothing to do with images. */
  read(cell: Cell): BilledRow | undefined;
}

/** The first of these columns that says something. */
export type Cell = (...names: readonly string[]) => string | undefined;

export interface BilledRow {
  /** A day or a time, as the file writes it. */
  from: string | undefined;
  /** When it ends, where the file says so. */
  until?: string | undefined;
  model: string | undefined;
  /** Of images, where it counts those. */
  count?: string | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
}

/** What a bill says of one model on one day. */
export interface BillLine {
  /** Counted since the epoch, in the time zone of the bill. */
  day: number;
  /** As the vendor calls it. */
  model: string;
  count: number | null;
  micros: bigint | null;
  /** By how much the amount may be off, because it was rounded. */
  slackMicros: bigint;
}

export interface Bill extends Pick<BillFormat, 'title' | 'timeZone' | 'inWords'> {
  /** In capitals; null where the file does not say. */
  currency: string | null;
  /** At least one, the earliest first. */
  lines: BillLine[];
}

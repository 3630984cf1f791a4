/** The most that an account may keep in unexpired uploads. Tests use smaller limits. */
export interface UploadLimits {
  count: number;
  bytes: number;
}

export const uploadLimits: UploadLimits = {
  // Seventy requests with fourteen images each, or one image for each of a day's thousand jobs.
  count: 1_000,
  // On disk or in the bucket until they expire. An upload has at most 5 MB, and most have a tenth.
  bytes: 1_073_741_824,
};

/** The wait for a slot to receive into. The client's connection is not read meanwhile, and may pause for 30 s. */
export const slotPatienceMs = 20_000;
/** The limit from the last byte to the stored image, including the wait for a decoder. Clients and proxies give up by then. */
export const storePatienceMs = 60_000;

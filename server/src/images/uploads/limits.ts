/** An account's limits on unexpired uploads. Tests use smaller ones. */
export interface UploadLimits {
  count: number;
  bytes: number;
}

export const uploadLimits: UploadLimits = {
  // Enough for seventy requests with fourteen images each.
  count: 1_000,
  // Uploads are stored until they expire. Each has at most 5 MB, and most have a tenth of that.
  bytes: 1_073_741_824,
};

/** The longest wait for a slot. During the wait the client's connection, which may pause for 30 s, is not read. */
export const slotPatienceMs = 20_000;
/**
 * The time from the last byte to the stored image, with the wait for a decoder. Clients and proxies give up by then.
 */
export const storePatienceMs = 60_000;

export interface UploadLimits {
  count: number;
  bytes: number;
}

export const uploadLimits: UploadLimits = {
  // Enough for seventy requests with fourteen images each.
  count: 1_000,
  // The total size of an account's unexpired uploads. Each takes at most 5 MB, and most take a tenth of that.
  bytes: 1_073_741_824,
};

/** The longest wait for a slot. Meanwhile the body is not read, and after a pause of 30 s it would be cut off. */
export const slotPatienceMs = 20_000;
/** The time limit from an upload's last byte to the stored image. After it, clients and proxies give up. */
export const storePatienceMs = 60_000;

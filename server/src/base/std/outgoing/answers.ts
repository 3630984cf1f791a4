/** @throws Error for a body of more than `maxBytes` */
export async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`its answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Describes a failed call. Errors from `fetch` have the reason as their cause. */
export function describeFailure(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  return cause === undefined ? String(error) : `${error}: ${cause}`;
}

/** Finds the first JUMBF box (ISO 19566-5) at this path of labels. */
export function findBox(within: Buffer, [label, ...labels]: readonly string[]): Buffer | undefined {
  if (label === undefined) return boxesIn(within)[1]?.content;
  for (const { type, content } of boxesIn(within)) {
    if (type !== 'jumb') continue;
    if (labelOf(content) === label) return findBox(content, labels);
  }
  return undefined;
}

const headBytes = 8;

function boxesIn(bytes: Buffer): { type: string; content: Buffer }[] {
  const boxes = [];
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (length < headBytes) break; // the box is longer than 4 GB, or broken
    const type = bytes.toString('latin1', at + 4, at + headBytes);
    boxes.push({ type, content: bytes.subarray(at + headBytes, at + length) });
    at += length;
  }
  return boxes;
}

/** The label in the first box, the description: 16 bytes of type, one of flags, the label, a zero. */
function labelOf(content: Buffer): string | undefined {
  const description = boxesIn(content)[0]?.content;
  return description?.toString('utf8', 17, description.indexOf(0, 17));
}

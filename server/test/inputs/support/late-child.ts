/** The faulty child on a machine so busy that its start takes longer than the time limit of an image. */
const startMs = 3_000;

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, startMs);
await import('./faulty-child.ts');

export {};

import { InputError } from './input-errors.ts';

/** Counts one download against the bytes that all of a request may have. */
export interface Meter {
  /** What the server announces; counted at once, so that a set that cannot fit ends early. */
  expect(bytes: number): void;
  /** What arrived. */
  count(bytes: number): void;
}

export interface Budget {
  /** For a URL that stands `times` times in the list: fetched once, counted as often. */
  meter(times: number): Meter;
}

/**
 * `stop` ends the other downloads of the request: they cannot save it any more. `take` hears of every byte that goes to
 * the disk, before it does.
 */
export function createBudget(
  totalBytes: number,
  stop: (error: InputError) => void,
  take: (bytes: number) => void = () => {},
): Budget {
  let charged = 0;

  function charge(bytes: number): void {
    charged += bytes;
    if (charged <= totalBytes) return;
    const error = tooManyTogether(totalBytes);
    stop(error);
    throw error;
  }

  return {
    meter(times) {
      let expected = 0;
      let arrived = 0;
      const grow = (bytes: number) => {
        const before = Math.max(expected, arrived);
        const more = Math.max(0, bytes - before);
        if (more > 0) take(more);
        return more * times;
      };
      return {
        expect(bytes) {
          if (bytes > totalBytes) throw tooLarge(totalBytes);
          const more = grow(bytes);
          expected = bytes;
          charge(more);
        },
        count(bytes) {
          const more = grow(arrived + bytes);
          arrived += bytes;
          if (arrived > totalBytes) {
            stop(tooManyTogether(totalBytes));
            throw tooLarge(totalBytes);
          }
          charge(more);
        },
      };
    },
  };
}

function tooLarge(totalBytes: number): InputError {
  return new InputError(
    'input_too_large',
    `The file has more than ${limit(totalBytes)}. Use a smaller image.`,
  );
}

function tooManyTogether(totalBytes: number): InputError {
  return new InputError(
    'inputs_too_large',
    `The inputs have more than ${limit(totalBytes)} in all. Use fewer or smaller images.`,
  );
}

function limit(totalBytes: number): string {
  return `${totalBytes.toLocaleString('en-US')} bytes`;
}

import { groupDigits } from '../../base/std/group-digits.ts';
import { InputError } from './input-errors.ts';

export interface Meter {
  /** Counts the announced size immediately, so that inputs that are too large fail early. */
  expect(bytes: number): void;
  count(bytes: number): void;
}

export interface Budget {
  /** A URL that occurs `times` times is fetched once, but counts each time. */
  meter(times: number): Meter;
}

/** Above the limit, `stop` ends the request's other downloads. `take` runs before the bytes are written. */
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
    `The inputs have more than ${limit(totalBytes)} in total. Use fewer or smaller images.`,
  );
}

function limit(totalBytes: number): string {
  return `${groupDigits(totalBytes)} bytes`;
}

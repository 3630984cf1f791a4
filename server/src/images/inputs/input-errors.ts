import { AppError } from '../../errors.ts';

export type InputErrorCode =
  /** The server gave no answer, an invalid one, or none in time. */
  | 'input_unfetchable'
  /** The URL leads to an IP address from which inputs may not come. */
  | 'input_blocked'
  | 'input_too_large'
  | 'input_not_an_image'
  | 'mask_misshapen'
  /** The mask has no transparent pixels, which would mark the part to change. */
  | 'mask_opaque'
  /** All inputs together have too many bytes. */
  | 'inputs_too_large';

export interface InputFailure {
  /** A JSON pointer into the request body, such as `/input_images_urls/3`. */
  pointer: string;
  code: InputErrorCode;
  /** A sentence that says what happened and what to do, without internal addresses. */
  detail: string;
}

/** An error with one URL. Its positions in the client's list are added later. */
export class InputError extends Error {
  override name = 'InputError';
  readonly code: InputErrorCode;

  constructor(code: InputErrorCode, detail: string, cause?: unknown) {
    super(detail, { cause });
    this.code = code;
  }
}

export class OwnLinkError extends InputError {
  readonly why: 'link_invalid' | 'link_expired' | 'image_gone';

  constructor(why: OwnLinkError['why'], detail: string) {
    super(why === 'image_gone' ? 'input_unfetchable' : 'input_blocked', detail);
    this.why = why;
  }
}

export class InputErrors extends Error {
  override name = 'InputErrors';
  readonly errors: readonly InputFailure[];

  constructor(errors: readonly InputFailure[]) {
    super(errors.map((error) => `${error.pointer}: ${error.detail}`).join(' '));
    this.errors = errors;
  }
}

export const listPointer = '/input_images_urls';
export const maskPointer = '/mask_url';

export function unusableInputs(
  errors: readonly { pointer: string; code: string; detail: string }[],
  cause?: Error,
): AppError {
  const detail =
    errors.length === 1
      ? (errors[0]?.detail ?? '')
      : `${errors.length} of the input images cannot be used; "errors" has the reason for each.`;
  return new AppError('inputs_unusable', detail, { errors: [...errors] }, { cause });
}

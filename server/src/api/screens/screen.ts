import type { Static, TObject, TSchema } from 'typebox';
import type { AskedOfInstallation } from '../installation-call.ts';

/**
 * What one page of operators wants in one answer, composed of what nouns present. Programs ask the nouns: a screen has no
 * description, may change with its page, and is for operators with a session alone.
 */
export interface Screen<
  Method extends string = string,
  Path extends string = string,
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Answer = unknown,
> extends Definition<Body, Params, Answer> {
  method: Method;
  path: Path;
}

interface Definition<Body extends TSchema, Params extends TObject, Answer> {
  params?: Params;
  body?: Body;
  handle(asked: AskedOfInstallation<Body, Params>): Promise<Answer>;
}

/** Keeps method and path as they are written, and the type of the answer. */
export function screen<
  const Method extends 'GET' | 'POST',
  const Path extends `/panel/operator/${string}`,
  Answer,
  Body extends TSchema,
  Params extends TObject,
>(
  method: Method,
  path: Path,
  definition: Definition<Body, Params, Answer>,
): Screen<Method, Path, Body, Params, Answer> {
  return { method, path, ...definition };
}

/** The types of screens, by method and path. */
export type ScreenContractOf<Rows extends readonly Screen[]> = {
  [Row in Rows[number] as `${Row['method']} ${Row['path']}`]: TypesOf<Row>;
};

type TypesOf<Row> =
  Row extends Screen<string, string, infer Body, infer _Params, infer Answer>
    ? { body: TSchema extends Body ? undefined : Static<Body>; query: undefined; answer: Answer }
    : never;

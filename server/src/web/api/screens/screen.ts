import type { Static, TObject, TSchema } from 'typebox';
import type { Right } from '../../../accounts/people/roles.ts';
import type { Viewer } from '../../../accounts/sign-in/sessions.ts';
import type { GivenStatic } from '../account-call.ts';

/** A call with all data for one panel page. Undocumented, because it changes with the page. Programs use `nouns`. */
export interface Screen<
  Method extends string = string,
  Path extends string = string,
  Body extends TSchema = TSchema,
  Query extends TObject = TObject,
  Answer = unknown,
> extends Definition<Path, Body, Query, Answer> {
  method: Method;
  path: Path;
}

interface Definition<Path extends string, Body extends TSchema, Query extends TObject, Answer> {
  /** The right that the person needs: in the installation for operators' pages, in the account for other pages. */
  right?: Right;
  body?: Body;
  query?: Query;
  handle(asked: AskedByPage<Path, Body, Query>): Promise<Answer>;
}

export interface AskedByPage<Path extends string, Body extends TSchema, Query extends TObject> {
  by: Viewer;
  params: { [Name in NamesIn<Path>]: string };
  body: Static<Body>;
  query: Static<Query>;
  /** Returns a signal that aborts when the person leaves the page. */
  left(): AbortSignal;
}

export type NamesIn<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type OfAccount = `/panel/accounts/:account_id/${string}`;

/** Keeps the literal types of method and path, and the type of the answer. */
export function screen<
  const Method extends 'GET' | 'POST',
  const Path extends `/panel/${string}`,
  Answer,
  Body extends TSchema,
  Query extends TObject,
>(
  method: Method,
  path: Path,
  definition: Definition<Path, Body, Query, Answer> & (Path extends OfAccount ? { right: Right } : unknown),
): Screen<Method, Path, Body, Query, Answer> {
  return { method, path, ...definition };
}

export type ScreenContractOf<Rows extends readonly Screen[]> = {
  [Row in Rows[number] as `${Row['method']} ${Row['path']}`]: TypesOf<Row>;
};

type TypesOf<Row> =
  Row extends Screen<string, string, infer Body, infer Query, infer Answer>
    ? { body: GivenStatic<Body>; query: GivenStatic<Query>; answer: Answer }
    : never;

import type {
  KyselyPlugin,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely';

/** Makes `_micros` columns `bigint`. The numbers arrive exactly, because CHECK constraints keep them below 2^53. */
export class MicrosPlugin implements KyselyPlugin {
  transformQuery({ node }: { node: RootOperationNode }): RootOperationNode {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    microsToBigint(result.rows);
    return result;
  }
}

export function microsToBigint(rows: UnknownRow[]): void {
  const first = rows[0];
  if (!first) return;
  const columns = Object.keys(first).filter((name) => name.endsWith('_micros'));
  for (const name of columns) {
    for (const row of rows) {
      const value = row[name];
      if (typeof value === 'number') row[name] = BigInt(value);
    }
  }
}

import createFactory, {
  type Serializer,
  type SerializerCompiler,
} from '@fastify/fast-json-stringify-compiler';

const buildCompiler = createFactory();

/**
 * Fastify's own compiler of answers, which compiles each schema once. Nearly all answers are problems: compiling theirs for
 * every call and status was half a second of every start.
 */
export function buildSerializers(...given: Parameters<typeof buildCompiler>): SerializerCompiler {
  const compile = buildCompiler(...given);
  const compiled = new Map<string, Serializer>();
  return (answer) => {
    const key = JSON.stringify(answer.schema);
    const serialize = compiled.get(key) ?? compile(answer);
    compiled.set(key, serialize);
    return serialize;
  };
}

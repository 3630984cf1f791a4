import createValidators from '@fastify/ajv-compiler';
import createSerializers, {
  type Serializer,
  type SerializerCompiler,
} from '@fastify/fast-json-stringify-compiler';

// Fastify's own schema compilers, but each compiler is created, and each schema compiled, on first use: most calls are
// not made in the first second, and compiling all of them took more than half of every start.

const validatorsOf = createValidators();
const serializersOf = createSerializers();

type Factory = ReturnType<typeof createValidators>;
type Validate = ReturnType<ReturnType<Factory>>;

export const buildValidators: Factory = (...given) => {
  let compile: ReturnType<Factory> | undefined;
  return (...part) => {
    let compiled: Validate | undefined;
    const validate = (data: unknown) => {
      compile ??= validatorsOf(...given);
      compiled ??= compile(...part);
      const valid = compiled(data);
      validate.errors = compiled.errors;
      return valid;
    };
    validate.errors = undefined as Validate['errors'];
    return validate as Validate; // all that Fastify uses of one
  };
};

/** Equal schemas are compiled once: nearly all answers are problems. */
export function buildSerializers(...given: Parameters<typeof serializersOf>): SerializerCompiler {
  const compile = serializersOf(...given);
  const all = new Map<string, Serializer>();
  return (answer) => {
    let compiled: Serializer | undefined;
    return (data) => {
      compiled ??= compileOnce(answer);
      return compiled(data);
    };
  };

  function compileOnce(answer: Parameters<SerializerCompiler>[0]): Serializer {
    const key = JSON.stringify(answer.schema);
    const serialize = all.get(key) ?? compile(answer);
    all.set(key, serialize);
    return serialize;
  }
}

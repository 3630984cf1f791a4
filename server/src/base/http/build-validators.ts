import createValidators from '@fastify/ajv-compiler';
import createSerializers, {
  type Serializer,
  type SerializerCompiler,
} from '@fastify/fast-json-stringify-compiler';
import { namedIn } from './schemas.ts';

// Fastify's schema compilers, but they compile each schema on first use. Compiling all took half of the startup time.

const validatorsOf = createValidators();
const serializersOf = createSerializers();

type Factory = ReturnType<typeof createValidators>;
type Compile = ReturnType<Factory>;
type Validate = ReturnType<Compile>;
type Options = NonNullable<Parameters<Factory>[1]>;
type Ajv = Parameters<NonNullable<Options['onCreate']>>[0];

// Compiled schemas by their JSON. Nearly all answers share the schema of problems, which is compiled once per process.
const validators = new Map<string, Validate>();
const serializers = new Map<string, Serializer>();

export const buildValidators: Factory = (_schemas, options) => (part) => {
  let compiled: Validate | undefined;
  const validate = (data: unknown) => {
    compiled ??= once(validators, schemaOf(part), () => compileValidator(part, options));
    const valid = compiled(data);
    validate.errors = compiled.errors;
    return valid;
  };
  validate.errors = undefined as Validate['errors'];
  return validate as Validate; // Fastify uses nothing else of a validator
};

export function buildSerializers(...[, options]: Parameters<typeof serializersOf>): SerializerCompiler {
  return (answer) => {
    let compiled: Serializer | undefined;
    return (data) => {
      compiled ??= once(serializers, answer.schema, () =>
        serializersOf(Object.fromEntries(namedIn(answer.schema)), options)(answer),
      );
      return compiled(data);
    };
  };
}

function once<Made>(made: Map<string, Made>, schema: unknown, make: () => Made): Made {
  const key = JSON.stringify(schema);
  const compiled = made.get(key) ?? make();
  made.set(key, compiled);
  return compiled;
}

let ajv: Ajv | undefined;

/** All servers have the same options, so they share one compiler. A component is added once a schema names it. */
function compileValidator(part: Parameters<Compile>[0], options: Options = {}): Validate {
  const compile = validatorsOf({}, { ...options, onCreate: (created: Ajv) => (ajv = created) } as Options);
  for (const [id, component] of namedIn(schemaOf(part)))
    if (ajv && !(id in ajv.schemas) && !(id in ajv.refs)) ajv.addSchema(component);
  return compile(part);
}

function schemaOf(part: unknown): unknown {
  return (part as { schema: unknown }).schema; // Fastify gives the compiler parts of calls, whatever its types say
}

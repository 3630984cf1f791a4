/**
 * The options of calls that no document describes: pages, files, other protocols. They need no `as`: `@fastify/swagger` gives every schema
 * this field.
 */
export const hidden = { schema: { hide: true } };

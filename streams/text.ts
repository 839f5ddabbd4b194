import { t } from '#engine/schema.ts'

/** Text of at most 2,048 characters without NUL, which PostgreSQL refuses, nor lone surrogates, which are no text. */
export const text = (options: object = {}) =>
  t.String({ maxLength: 2048, pattern: '^[^\\u0000\\uD800-\\uDFFF]*$', ...options })

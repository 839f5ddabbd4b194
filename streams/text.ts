import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'

/** Text of at most 2,048 characters without NUL, which PostgreSQL refuses, nor lone surrogates, which are no text. */
export const text = (options: object = {}) =>
  t.String({ maxLength: 2048, pattern: '^[^\\u0000\\uD800-\\uDFFF]*$', ...options })

const nameLengthMax = 100

/** @throws Fault `invalid` when a name is not 1 to 100 characters */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed.length >= 1 && trimmed.length <= nameLengthMax) return trimmed
  throw Fault.invalid('validation_failed', `A name has 1 to ${nameLengthMax} characters.`)
}

import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'

/** Text of at most 2,048 characters without NUL, which PostgreSQL refuses, nor lone surrogates, which are no text. */
export const text = (options: object = {}) =>
  t.String({ maxLength: 2048, pattern: '^[^\\u0000\\uD800-\\uDFFF]*$', ...options })

const nameLengthMax = 100

/**
 * Controls, line breaks, and signs that show nothing or turn the direction of writing: with them a name can pass for another, or bring
 * lines into a mail. As a part of a class of an expression. What joins emojis and letters (U+200C, U+200D) is not among them.
 */
export const hiddenSigns =
  '\\u0000-\\u001F\\u007F-\\u009F\\u00AD\\u061C\\u180E\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u2069\\uFEFF'
const hidden = new RegExp(`[${hiddenSigns}]`)
const allHidden = new RegExp(hidden, 'g')

export const hasHidden = (text: string): boolean => hidden.test(text)

/** A name that somebody else writes, such as an identity provider. */
export const withoutHidden = (text: string): string => text.replaceAll(allHidden, '')

/** @throws Fault `invalid` when a name is not 1 to 100 characters, or has some that cannot be seen */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (hidden.test(trimmed))
    throw Fault.invalid(
      'validation_failed',
      'A name must not contain line breaks, control characters or invisible characters.',
    )
  if (trimmed.length >= 1 && trimmed.length <= nameLengthMax) return trimmed
  throw Fault.invalid('validation_failed', `A name must have 1 to ${nameLengthMax} characters.`)
}

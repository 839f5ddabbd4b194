import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'

/** Text of at most 2,048 characters without NUL, which PostgreSQL refuses, nor lone surrogates, which are no text. */
export const text = (options: object = {}) =>
  t.String({ maxLength: 2048, pattern: '^[^\\u0000\\uD800-\\uDFFF]*$', ...options })

const nameLengthMax = 100

/**
 * Controls, line breaks, and signs that show nothing or turn the direction of writing: with them a name can pass for another, or bring
 * lines into a mail. As a part of a class of an expression. What joins emojis and letters (U+200C, U+200D) is not among them.
 */
export const hiddenSigns =
  '\\u0000-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F' +
  '\\u2028-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFEFF\\uFFA0\\uFFF0-\\uFFFB'
/** What joins or varies the sign before it, and shows nothing by itself. As a part of a class too. */
export const joiningSigns = '\\u200C\\u200D\\uFE00-\\uFE0F'
const shown = new RegExp(`[^\\s${hiddenSigns}${joiningSigns}]`)
const hidden = new RegExp(`[${hiddenSigns}]`)
const allHidden = new RegExp(hidden, 'g')

/** What stands in no part of an address: with some of these a mail program reads several addresses. */
const notInAddress = `\\s@<>"(),:;\\[\\]\\\\${hiddenSigns}`
/** One @, no spaces, a dot in the domain. As the source of an expression. */
export const mailAddress = `^[^${notInAddress}]{1,64}@[^${notInAddress}]+\\.[^${notInAddress}.]+$`
export const addressLengthMax = 254

export const hasHidden = (text: string): boolean => hidden.test(text)

/** A name that somebody else writes, such as an identity provider. */
export const withoutHidden = (text: string): string => text.replaceAll(allHidden, '')

/** @throws Fault `invalid` when a name is not 1 to 100 characters, or has some that cannot be seen */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (hidden.test(trimmed) || (trimmed !== '' && !shown.test(trimmed)))
    throw Fault.invalid(
      'validation_failed',
      'A name must not contain line breaks, control characters or invisible characters.',
    )
  if (trimmed.length >= 1 && trimmed.length <= nameLengthMax) return trimmed
  throw Fault.invalid('validation_failed', `A name must have 1 to ${nameLengthMax} characters.`)
}

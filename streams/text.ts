import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'

/**
 * Text of at most 2,048 characters without NUL, which PostgreSQL refuses, and without lone surrogates, which are not
 * valid text.
 */
export const text = (options: object = {}) =>
  t.String({ maxLength: 2048, pattern: '^[^\\u0000\\uD800-\\uDFFF]*$', ...options })

/** Makes text from others acceptable as `text`: shortened, without NUL, and with unpaired surrogates replaced. */
export const cutText = (said: string, max: number): string => said.slice(0, max).replaceAll('\0', '').toWellFormed()

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML, in elements and in quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign]!)

const nameLengthMax = 100

/**
 * Control characters, line breaks, and characters that are invisible or change the direction of writing: with them a
 * name could imitate another one, or add lines to a mail. Part of a character class. Joiners of emojis and letters
 * (U+200C, U+200D) are not included.
 */
export const hiddenSigns =
  '\\u0000-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F' +
  '\\u2028-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFEFF\\uFFA0\\uFFF0-\\uFFFB'
/** Characters that join or vary the previous one and are invisible alone. Part of a character class too. */
export const joiningSigns = '\\u200C\\u200D\\uFE00-\\uFE0F'
const visibleCharacter = new RegExp(`[^\\s${hiddenSigns}${joiningSigns}]`)
const hiddenCharacter = new RegExp(`[${hiddenSigns}]`)
const allHidden = new RegExp(hiddenCharacter, 'g')

/** Characters that no part of an address contains: with some of these a mail program reads several addresses. */
const notInAddress = `\\s@<>"(),:;\\[\\]\\\\${hiddenSigns}`
/** One @, no spaces, a dot in the domain. Source text of a regular expression. */
export const mailAddress = `^[^${notInAddress}]{1,64}@[^${notInAddress}]+\\.[^${notInAddress}.]+$`
export const addressLengthMax = 254

/** A GUID, as Azure names tenants, clients and subscriptions. */
export const guid = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

/** The ARN of a secret in AWS Secrets Manager. */
export const secretArn = '^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:\\d{12}:secret:[A-Za-z0-9/_+=.@!-]{1,512}$'

export const hasHidden = (text: string): boolean => hiddenCharacter.test(text)

/** Removes them from a name written by another system, such as an identity provider. */
export const withoutHidden = (text: string): string => text.replaceAll(allHidden, '')

/** @throws Fault `invalid` if a name does not have 1 to 100 characters, or contains invisible ones */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (hiddenCharacter.test(trimmed) || (trimmed !== '' && !visibleCharacter.test(trimmed)))
    throw Fault.invalid(
      'validation_failed',
      'A name must not contain line breaks, control characters or invisible characters.',
    )
  if (trimmed.length >= 1 && trimmed.length <= nameLengthMax) return trimmed
  throw Fault.invalid('validation_failed', `A name must have 1 to ${nameLengthMax} characters.`)
}

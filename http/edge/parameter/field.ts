/** The small schemas that records of several nouns are made of. */
import { t, type TSchema } from '#engine/value/schema.ts'
import { costProviders, providers } from '#streams/names.ts'
import { addressLengthMax, hiddenSigns, joiningSigns, mailAddress } from '#streams/text.ts'

export const Timestamp = t.String({ format: 'date-time', description: 'ISO 8601, UTC' })

export const orNull = <S extends TSchema>(schema: S) => t.Union([schema, t.Null()])

/** As records show it. */
export const ProviderName = t.String({ enum: [...providers], description: 'aws, gcp or azure' })

/** As a query names it: the stand-in names are read too (decision G-08). */
export const ProviderParameter = t.Enum(providers, { alias: true })

/** Of costs, which providers have that are no cloud the product looks into. */
export const CostProviderName = t.String({ enum: [...costProviders], description: 'aws, gcp, azure or other' })
export const CostProviderParameter = t.Enum(costProviders, { alias: true })

export const timestamp = (at: Date | null | undefined): string | null => at?.toISOString() ?? null

const shownName = `^[^${hiddenSigns}]*[^\\s${hiddenSigns}${joiningSigns}][^${hiddenSigns}]*$`

/** What does not match, in words that people read: most expressions say nothing to them. */
export const patternWords: ReadonlyMap<string, string> = new Map([
  [mailAddress, 'must be an email address, such as ana@example.com'],
  [shownName, 'must not be blank, and must not contain line breaks, control characters or invisible characters'],
])

/** An address as people type it: one @, no spaces, a dot in the domain. */
export const Email = t.String({
  pattern: mailAddress,
  maxLength: addressLengthMax,
  description: 'email address, case-insensitive',
})

export const Password = t.String({ minLength: 8, maxLength: 128 })

/** Of people and of what they make: 1 to 100 characters in one line, not only spaces, none of them invisible. */
export const Name = t.String({ minLength: 1, maxLength: 100, pattern: shownName })

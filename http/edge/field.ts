/** The small schemas that records of several nouns are made of. */
import { t, type TSchema } from '#engine/schema.ts'
import { providers } from '#streams/names.ts'

export const Timestamp = t.String({ format: 'date-time', description: 'ISO 8601, UTC' })

export const orNull = <S extends TSchema>(schema: S) => t.Union([schema, t.Null()])

/** As records show it. */
export const ProviderName = t.String({ enum: [...providers], description: 'aws, gcp or azure' })

/** As a query names it: the stand-in names are read too (decision G-08). */
export const ProviderParameter = t.Enum(providers, { alias: true })

export const timestamp = (at: Date | null | undefined): string | null => at?.toISOString() ?? null

const mailAddress = '^[^\\s@<>"]{1,64}@[^\\s@<>"]+\\.[^\\s@<>".]+$'
const notBlank = '\\S'

/** What does not match, in words that people read: most expressions say nothing to them. */
export const patternWords: ReadonlyMap<string, string> = new Map([
  [mailAddress, 'must be an e-mail address, as ana@example.com'],
  [notBlank, 'must not be spaces alone'],
])

/** An address as people type it: one @, no spaces, a dot in the domain. */
export const Email = t.String({
  pattern: mailAddress,
  maxLength: 254,
  description: 'an e-mail address; upper and lower case are the same',
})

export const Password = t.String({ minLength: 8, maxLength: 128 })

/** Of people and of what they make: 1 to 100 characters, not only spaces. */
export const Name = t.String({ minLength: 1, maxLength: 100, pattern: notBlank })

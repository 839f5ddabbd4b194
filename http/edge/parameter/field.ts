/** Small schemas that many records share. */
import { t, type TSchema } from '#engine/value/schema.ts'
import { costProviders, providers } from '#streams/names.ts'
import { addressLengthMax, guid, hiddenSigns, joiningSigns, mailAddress, secretArn } from '#streams/text.ts'

export const Timestamp = t.String({ format: 'date-time', description: 'ISO 8601, UTC' })

export const orNull = <S extends TSchema>(schema: S) => t.Union([schema, t.Null()])

/** For output. */
export const ProviderName = t.String({ enum: [...providers], description: 'aws, gcp or azure' })

/** For query parameters: the neutral names are accepted too (decision G-08). */
export const ProviderParameter = t.Enum(providers, { alias: true })

/** Providers of costs, including those that are not clouds supported by the product. */
export const CostProviderName = t.String({ enum: [...costProviders], description: 'aws, gcp, azure or other' })
export const CostProviderParameter = t.Enum(costProviders, { alias: true })

export const timestamp = (at: Date | null | undefined): string | null => at?.toISOString() ?? null

const shownName = `^[^${hiddenSigns}]*[^\\s${hiddenSigns}${joiningSigns}][^${hiddenSigns}]*$`

const monthShape = '^\\d{4}-(0[1-9]|1[0-2])$'

/** A month, YYYY-MM. */
export const Month = t.String({ maxLength: 7, pattern: monthShape })

/**
 * Explanations for regular expressions that do not match, because the expressions themselves say nothing to most
 * people.
 */
export const patternWords: ReadonlyMap<string, string> = new Map([
  [mailAddress, 'must be an email address, such as ana@example.com'],
  [shownName, 'must not be blank, and must not contain line breaks, control characters or invisible characters'],
  [monthShape, 'must be a month in the form YYYY-MM, such as 2026-01'],
  [guid, 'must be a GUID, such as 11111111-2222-3333-4444-555555555555'],
  [
    secretArn,
    'must be the ARN of a secret, such as arn:aws:secretsmanager:eu-central-1:123456789012:secret:orders-AbCdEf',
  ],
])

/** The same for formats of JSON Schema. */
export const formatWords: ReadonlyMap<string, string> = new Map([
  ['date', 'must be a day that exists, in the form YYYY-MM-DD, such as 2026-01-31'],
  ['date-time', 'must be a time that exists, such as 2026-01-31T12:00:00Z'],
])

/** A typed email address: one @, no spaces, a dot in the domain. */
export const Email = t.String({
  pattern: mailAddress,
  maxLength: addressLengthMax,
  description: 'email address, case-insensitive',
})

export const Password = t.String({ minLength: 8, maxLength: 128 })

/** A name of a person or object: 1 to 100 characters in one line, not only spaces, no invisible ones. */
export const Name = t.String({ minLength: 1, maxLength: 100, pattern: shownName })

import { t } from '#engine/value/schema.ts'

/** Of the request's own making, and none of ours to say. */
const ownHeaders = 'host|connection|content-length|transfer-encoding|expect|te|trailer|upgrade|keep-alive|proxy-.*'
/** Headers that customers have us send, secrets among them. */
export const GivenHeaders = t.Record(
  t.String({ pattern: `^(?!(?:${caseless(ownHeaders)})$)[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,100}$` }),
  t.String({ maxLength: 8192, pattern: '^[\\t\\x20-\\x7e]*$' }),
  {
    maxProperties: 50,
    additionalProperties: false,
    description: 'write-only; if omitted, existing headers are kept as long as the URL has the same origin',
  },
)

/** A pattern that takes its letters in both cases: JSON Schema knows no flags. */
function caseless(pattern: string): string {
  return pattern.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

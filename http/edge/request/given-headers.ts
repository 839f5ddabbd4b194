import { t } from '#engine/value/schema.ts'

/** Headers set by the HTTP client, which customers may not set. */
const ownHeaders = 'host|connection|content-length|transfer-encoding|expect|te|trailer|upgrade|keep-alive|proxy-.*'
/** Headers that customers have us send, including secrets. */
export const GivenHeaders = t.Record(
  t.String({ pattern: `^(?!(?:${caseless(ownHeaders)})$)[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,100}$` }),
  t.String({ maxLength: 8192, pattern: '^[\\t\\x20-\\x7e]*$' }),
  {
    maxProperties: 50,
    additionalProperties: false,
    description: 'write-only; if omitted, existing headers are kept as long as the URL has the same origin',
  },
)

/** A pattern that matches letters in upper and lower case, because JSON Schema has no flags. */
function caseless(pattern: string): string {
  return pattern.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

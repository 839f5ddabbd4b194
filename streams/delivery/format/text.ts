/** Makes text from customers and clouds safe to show in any medium. */

/**
 * Removes control characters and invisible characters, such as those that change the direction of writing; lines end
 * with `\n`. Joiners of emojis and letters stay.
 */
export const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/(?![\n\u200C\u200D])[\p{Cc}\p{Cf}]/gu, '')
    .trim()

/** `clean`, as one line. */
export const oneLine = (text: string): string => clean(text).replace(/\s+/g, ' ')

/**
 * The part that has at most `max` characters after `written` has converted each character, with an ellipsis if it was
 * shortened.
 */
export function cut(text: string, max: number, written = (character: string): string => character): string {
  let out = ''
  let fitting = ''
  for (const character of text) {
    out += written(character)
    if (out.length > max) return `${fitting}…`
    if (out.length < max) fitting = out
  }
  return out
}

/** Makes a function that replaces single characters with a medium's `entities`. */
export const escape =
  (entities: Readonly<Record<string, string>>) =>
  (character: string): string =>
    entities[character] ?? character

const lookalikes: Readonly<Record<string, string>> = { '*': '∗', '~': '∼', '`': 'ˋ', _: 'ˍ' }

/**
 * For media that format with `*`, `_`, `~` and `` ` `` and have no escapes: replaces these with similar characters. An
 * underscore within a word stays, because it does not format and names contain it. Words that mention everybody get an
 * invisible character.
 */
export const disableFormatting = (text: string): string =>
  text
    .replace(/[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, (character) => lookalikes[character]!)
    .replace(/@(?=(?:here|channel|everyone|all)\b)/giu, '@\u2060')

/** Allows only http and https links without a password. Characters that end links in any medium are encoded. */
export function toSafeLink(link: string | undefined): string | undefined {
  const url = link !== undefined && URL.canParse(link) ? new URL(link) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined
  const rest = url.href.slice(url.origin.length)
  return url.origin + rest.replace(/[|<>"'`\\]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Maximum characters of a quoted name. */
const quotedMax = 60

/**
 * A name chosen by people, for quoting in mails to others: one line in quotation marks, without anything that a mail
 * program would turn into a link.
 */
export function quoteName(name: string): string {
  const plain = oneLine(name)
    .replaceAll(/\u200C|\u200D|[“”]/g, '')
    .replaceAll(/[/\\@:＠]+/g, ' ')
    .replaceAll(/[.。．｡](?=[\p{L}\p{N}])/gu, '. ')
  return `“${cut(oneLine(plain), quotedMax)}”`
}

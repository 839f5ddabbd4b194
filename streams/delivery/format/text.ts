/** Text of customers and clouds, made fit to be shown in any medium. */

/**
 * Without control characters and marks that cannot be seen, such as those that turn the direction of writing; lines end
 * in `\n`. What joins emojis and letters stays.
 */
export const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/(?![\n\u200C\u200D])[\p{Cc}\p{Cf}]/gu, '')
    .trim()

/** `clean`, in one line. */
export const oneLine = (text: string): string => clean(text).replace(/\s+/g, ' ')

/** As much of it as has room in `max` characters once each of its characters is `written`, with an ellipsis for the rest. */
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

/** `entities` of a medium for single characters. */
export const escape =
  (entities: Readonly<Record<string, string>>) =>
  (character: string): string =>
    entities[character] ?? character

const lookalikes: Readonly<Record<string, string>> = { '*': '∗', '~': '∼', '`': 'ˋ', _: 'ˍ' }

/**
 * For media that format by `*`, `_`, `~` and `` ` `` and know no escape for them: characters that look alike. An underscore
 * within a word formats nothing and stays: names have them. Words that call everybody get an invisible mark.
 */
export const disableFormatting = (text: string): string =>
  text
    .replace(/[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, (character) => lookalikes[character]!)
    .replace(/@(?=(?:here|channel|everyone|all)\b)/giu, '@\u2060')

/** What can be followed: http and https alone, without a password. Characters that end links in any medium are encoded. */
export function toSafeLink(link: string | undefined): string | undefined {
  const url = link !== undefined && URL.canParse(link) ? new URL(link) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined
  const rest = url.href.slice(url.origin.length)
  return url.origin + rest.replace(/[|<>"'`\\]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Characters of a name that a mail quotes. */
const quotedMax = 60

/**
 * A name that people chose, as mails to others quote it: one line in quotation marks, in which no mail program finds an address of a page
 * or of a mailbox.
 */
export function quoteName(name: string): string {
  const plain = oneLine(name)
    .replaceAll(/\u200C|\u200D|[“”]/g, '')
    .replaceAll(/[/\\@:＠]+/g, ' ')
    .replaceAll(/[.。．｡](?=[\p{L}\p{N}])/gu, '. ')
  return `“${cut(oneLine(plain), quotedMax)}”`
}

/** Splits statements into tokens as the engine does, so that a check sees what the engine will see. */
import { refusal } from './error-codes.ts'

export interface Token {
  /** A bare word, a quoted name, a string, digits, or any other character. */
  readonly kind: 'word' | 'name' | 'text' | 'digits' | 'sign'
  /** As in the statement. */
  readonly raw: string
  /** Without quotes. Strings keep their escapes. */
  readonly value: string
  /** Whether whitespace or comments precede it. */
  readonly isApart: boolean
}

const lexeme =
  /(?<space>[ \t\r\n\f\v]+|--[^\n]*|\/\*[^]*?\*\/)|(?<text>'(?:[^'\\]|\\[^]|'')*')|(?<name>"(?:[^"\\]|"")*"|`(?:[^`\\]|``)*`)|(?<word>[A-Za-z_]\w*)|(?<digits>\d+)|(?<sign>[()[\]{}.,;:+\-*/%=<>!?@|^&~])/y

/**
 * The tokens of a statement, without whitespace and comments. Refuses text that different parsers could read
 * differently: escapes in names (`"\x66ile"` is `file`), dollar quotes, comments with `#`, and characters outside ASCII
 * outside quotes.
 * @throws Error in the engine's words
 */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  let isApart = false
  lexeme.lastIndex = 0
  while (lexeme.lastIndex < sql.length) {
    const at = lexeme.lastIndex
    const found = lexeme.exec(sql)
    if (!found) throw refusal(62, `${unreadable(sql, at)} (SYNTAX_ERROR)`)
    const [kind, raw] = Object.entries(found.groups!).find(([, part]) => part !== undefined)! as [string, string]
    if (kind !== 'space') tokens.push({ kind: kind as Token['kind'], raw, value: valueOf(kind, raw), isApart })
    isApart = kind === 'space'
  }
  return tokens
}

/** Joins tokens to a statement. Whitespace and comments become one space, so nothing can hide in a comment. */
export const statementOf = (tokens: readonly Token[]): string =>
  tokens
    .map(({ raw, isApart }) => (isApart ? ` ${raw}` : raw))
    .join('')
    .trimStart()

function valueOf(kind: string, raw: string): string {
  if (kind === 'text') return raw.slice(1, -1)
  if (kind !== 'name') return raw
  const quote = raw[0]!
  return raw.slice(1, -1).replaceAll(quote + quote, quote)
}

function unreadable(sql: string, at: number): string {
  const sign = sql[at]!
  if (sign === "'") return 'Unclosed string literal.'
  if (sign === '"' || sign === '`') return 'A quoted name is not closed or contains escapes, which are not supported.'
  if (sign === '/') return 'Unclosed comment.'
  return `The character ${JSON.stringify(sign)} is not allowed outside quotes.`
}

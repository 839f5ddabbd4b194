/**
 * Reads values in a text cell: JSON, or the Python notation of lists and dicts that scripts write (`[{'amount': -5e-06,
 * 'full_name': None}]`). Numbers with more digits than a float holds stay text.
 */
import { parseJson } from '#engine/value/json.ts'

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

/** Digits that a binary float always preserves. */
const safeDigits = 15
const longNumber = /[\d.]{16}/

const exactNumbers: Reviver = (_key, value, context) => {
  const source = context?.source
  return typeof value === 'number' && source !== undefined && source.length > safeDigits ? source : value
}

/** Like `parseJson`, but a number that a float would round becomes text. @throws SyntaxError */
export const parseExact = (text: string): unknown => parseJson(text, longNumber.test(text) ? exactNumbers : undefined)

/** The value of JSON or Python text; undefined if it is neither. */
export function literal(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return python(text)
  }
}

/** Reports something omitted from a row: a stable code, and a message for people. */
export type Warn = (code: string, message: string) => void

/**
 * Reads a map column: JSON or Python text, with or without braces, or a list of `{ key, value }`. Of truncated or
 * broken text, the entries before the error are kept, with the warning `tags_left_out`. Undefined if there is no map.
 */
export function tagMap(value: unknown, warn: Warn): Record<string, unknown> | undefined {
  const read = typeof value === 'string' ? tagText(value.trim(), warn) : value
  if (read === undefined || read === null) return undefined
  if (Array.isArray(read)) return pairs(read, warn)
  if (typeof read === 'object') return read as Record<string, unknown>
  warn(leftOut, `The tags are not a map of names to values: ${short(value)}`)
  return undefined
}

const leftOut = 'tags_left_out'
const short = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 80)

function tagText(text: string, warn: Warn): unknown {
  if (text === '') return undefined
  const value = literal(/^["']/.test(text) ? `{${text}}` : text)
  if (value !== undefined) return value
  const found = beginning(text)
  warn(leftOut, `${found ? 'Some of the' : 'The'} tags cannot be read: ${short(text)}`)
  return found
}

const entry =
  /[{,\s]*(["'])((?:(?!\1)[^\\]|\\.)*)\1\s*:\s*(?:(["'])((?:(?!\3)[^\\]|\\.)*)\3|([\w+.-]+))(?=\s*[,}]|\s*$)/suy

/** The entries before the error; undefined if there are none. */
function beginning(text: string): Record<string, unknown> | undefined {
  const found: [string, unknown][] = []
  for (entry.lastIndex = 0; ;) {
    const [all, , key, , quoted, word] = entry.exec(text) ?? []
    if (all === undefined) break
    found.push([unescape(key!), word ?? unescape(quoted!)])
  }
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

function pairs(list: readonly unknown[], warn: Warn): Record<string, unknown> {
  const found: [string, unknown][] = []
  for (const one of list) {
    const { key, Key, value, Value } = (one ?? {}) as Record<string, unknown>
    const name = key ?? Key
    if (typeof name === 'string') found.push([name, value ?? Value ?? ''])
    else warn(leftOut, `A tag has no name: ${short(one)}`)
  }
  return Object.fromEntries(found)
}

const token = /\s*(?:([[\]{}(),:])|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([\w+.-]+))/suy
const words: Readonly<Record<string, unknown>> = {
  None: null,
  null: null,
  nan: null,
  True: true,
  False: false,
  true: true,
  false: false,
}
const depthMax = 20

type Token = { mark: string } | { value: unknown }

/** The value of Python text; undefined if it is not plain data. */
function python(text: string): unknown {
  const tokens = tokensOf(text)
  if (!tokens) return undefined
  const at = { next: 0 }
  const value = readValue(tokens, at, 0)
  return at.next === tokens.length ? value : undefined
}

function tokensOf(text: string): Token[] | undefined {
  const out: Token[] = []
  const body = text.trimEnd()
  for (token.lastIndex = 0; token.lastIndex < body.length;) {
    const [all, mark, single, double, word] = token.exec(body) ?? []
    if (all === undefined) return undefined
    if (mark !== undefined) out.push({ mark })
    else if (word === undefined) out.push({ value: unescape((single ?? double)!) })
    else if (word in words) out.push({ value: words[word] })
    else if (Number.isFinite(Number(word))) out.push({ value: word.length > safeDigits ? word : Number(word) })
    else return undefined
  }
  return out
}

const unescape = (text: string): string =>
  text.replace(/\\(.)/gsu, (_all, letter: string) => (letter === 'n' ? '\n' : letter === 't' ? '\t' : letter))

/** Reads the value at `at` and moves past it; undefined if there is none. */
function readValue(tokens: readonly Token[], at: { next: number }, depth: number): unknown {
  const first = tokens[at.next++]
  if (first === undefined || depth > depthMax) return undefined
  if ('value' in first) return first.value
  if (first.mark === '{') return readEntries(tokens, at, depth)
  if (first.mark !== '[' && first.mark !== '(') return undefined
  const items: unknown[] = []
  while (!closes(tokens[at.next])) {
    const item = readValue(tokens, at, depth + 1)
    if (item === undefined) return undefined
    items.push(item)
    skipComma(tokens, at)
  }
  at.next++
  return items
}

function readEntries(tokens: readonly Token[], at: { next: number }, depth: number): unknown {
  const entries: [string, unknown][] = []
  while (!closes(tokens[at.next])) {
    const key = readValue(tokens, at, depth + 1)
    const colon = tokens[at.next++]
    const value = readValue(tokens, at, depth + 1)
    if (value === undefined || !colon || !('mark' in colon) || colon.mark !== ':') return undefined
    if (typeof key !== 'string' && typeof key !== 'number') return undefined
    entries.push([`${key}`, value])
    skipComma(tokens, at)
  }
  at.next++
  return Object.fromEntries(entries)
}

/** True at a closing bracket, and at the end, where the caller then finds no tokens. */
const closes = (found: Token | undefined): boolean =>
  found === undefined || ('mark' in found && /[\]})]/.test(found.mark))

function skipComma(tokens: readonly Token[], at: { next: number }): void {
  const found = tokens[at.next]
  if (found && 'mark' in found && found.mark === ',') at.next++
}

/**
 * Values that stand as text in one cell: JSON, and the Python notation of lists and dicts that exports made with a script
 * carry (`[{'amount': -5e-06, 'full_name': None}]`). Numbers with more digits than a float holds stay text.
 */
import { Fault } from '#engine/fault.ts'
import { parseJson } from '#engine/json.ts'

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

/** Digits every binary float keeps. */
const safeDigits = 15
const longNumber = /[\d.]{16}/

const exactNumbers: Reviver = (_key, value, context) => {
  const source = context?.source
  return typeof value === 'number' && source !== undefined && source.length > safeDigits ? source : value
}

/** `parseJson`, but a number that a binary float would round becomes its own text. @throws SyntaxError */
export const parseExact = (text: string): unknown => parseJson(text, longNumber.test(text) ? exactNumbers : undefined)

/** The value of JSON or Python text; undefined when it is neither. */
export function literal(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return python(text)
  }
}

/** A map column as an object: JSON or Python text, with or without its braces, or a list of `{ key, value }`. */
export function tagMap(value: unknown): Record<string, unknown> | undefined {
  const read = typeof value === 'string' ? tagText(value.trim()) : value
  if (read === undefined || read === null) return undefined
  if (Array.isArray(read)) return Object.fromEntries(read.flatMap(pair))
  if (typeof read === 'object') return read as Record<string, unknown>
  throw unreadable()
}

function tagText(text: string): unknown {
  if (text === '') return undefined
  const value = literal(/^["']/.test(text) ? `{${text}}` : text)
  if (value === undefined) throw unreadable()
  return value
}

function pair(entry: unknown): [string, unknown][] {
  if (typeof entry !== 'object' || entry === null) throw unreadable()
  const { key, Key, value, Value } = entry as Record<string, unknown>
  const name = key ?? Key
  if (typeof name !== 'string') throw unreadable()
  return [[name, value ?? Value ?? '']]
}

const unreadable = (): Fault => Fault.invalid('tags_invalid', 'The tags are no map of names to values.')

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

/** The value of Python text; undefined when it is not of the subset that holds plain data. */
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

/** One value at `at`, which moves behind it; undefined when there is none. */
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

/** True at a closing bracket, and past the end: the caller then finds the tokens used up. */
const closes = (found: Token | undefined): boolean =>
  found === undefined || ('mark' in found && /[\]})]/.test(found.mark))

function skipComma(tokens: readonly Token[], at: { next: number }): void {
  const found = tokens[at.next]
  if (found && 'mark' in found && found.mark === ',') at.next++
}

/** Splits a stream of JSON into the texts of its records, so that only one record is in memory at a time. */
import { Fault } from '#engine/value/fault.ts'

/** The text of one record. `at` is its line, or its number in the array, from 1. */
export interface JsonRecord {
  at: number
  text: string
}

/**
 * The lines that are not blank, in order.
 * @throws Fault `invalid` `json_invalid` if one is longer than `charactersMax`
 */
export async function* jsonLines(
  chunks: AsyncIterable<Buffer>,
  charactersMax: number,
): AsyncGenerator<JsonRecord, void> {
  let rest = ''
  let at = 0
  for await (const text of decodeText(chunks)) {
    const parts = (rest + text).split('\n')
    rest = parts.pop()!
    guard(rest, charactersMax)
    for (const line of parts) {
      at++
      if (line.trim() !== '') yield { at, text: line }
    }
  }
  if (rest.trim() !== '') yield { at: at + 1, text: rest }
}

/**
 * The elements of an array, in order.
 * @throws Fault `invalid` `json_invalid` if the array does not end, or an element is too long
 */
export async function* arrayElements(
  chunks: AsyncIterable<Buffer>,
  charactersMax: number,
): AsyncGenerator<JsonRecord, void> {
  const splitter = new ArraySplitter()
  let at = 0
  for await (const text of decodeText(chunks)) {
    for (const element of splitter.push(text)) yield { at: ++at, text: element }
    guard(splitter.rest, charactersMax)
  }
  if (!splitter.ended) throw Fault.invalid('json_invalid', 'The JSON array does not end: the file is truncated.')
}

async function* decodeText(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

function guard(text: string, charactersMax: number): void {
  if (text.length > charactersMax)
    throw Fault.invalid('json_invalid', `A JSON record is longer than ${charactersMax} characters.`)
}

const quote = 34
const comma = 44
const backslash = 92
const opens = new Set([91, 123])
const closes = new Set([93, 125])

/**
 * Finds the commas between the elements of the outermost array. It follows strings and nesting, but does not check the
 * rest of the grammar.
 */
class ArraySplitter {
  /** The beginning of the current element. */
  rest = ''
  ended = false
  #depth = 0
  #inString = false
  #escaped = false

  /** Returns the elements that end in `text`. */
  push(text: string): string[] {
    const elements: string[] = []
    let from = 0
    for (let i = 0; i < text.length; i++) {
      const cut = this.#step(text.charCodeAt(i))
      if (!cut) continue
      const element = this.rest + text.slice(from, i)
      this.rest = ''
      from = i + 1
      if (element.trim() !== '') elements.push(element)
    }
    this.rest = this.ended ? '' : this.rest + text.slice(from)
    return elements
  }

  /** True for a character that separates elements of the outermost array or encloses it. */
  #step(code: number): boolean {
    if (this.#inString) {
      this.#inside(code)
      return false
    }
    if (code === quote) this.#inString = true
    else if (opens.has(code)) return ++this.#depth === 1
    else if (closes.has(code)) return this.#close()
    return code === comma && this.#depth === 1
  }

  #inside(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === backslash) this.#escaped = true
    else if (code === quote) this.#inString = false
  }

  #close(): boolean {
    this.#depth--
    if (this.#depth > 0) return false
    this.ended = true
    return true
  }
}

/**
 * `JSON.parse` without a defect of V8 (Node 24 to 26, nodejs/node issue 63785): a name written with an escape may come out
 * as the name that an earlier object, perhaps of another organization, had in its place: `{"a":1,"\n":2}` as
 * `{"a":1,"\\":2}`. Everything that comes from outside or was kept for it is read by this.
 */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

/** The value of `text`. The reviver is for numbers, and knows no key. @throws SyntaxError */
export function parseJson(text: string, reviver?: Reviver): unknown {
  const value: unknown = JSON.parse(text, reviver)
  return hasEscapedName(text) ? read(text, reviver) : value
}

/** Whether a name is written with an escape; looks at no string that has none. `text` is JSON. */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0;) {
    const end = behind(text, at)
    if (isName(text, end)) return true
    at = text.indexOf('\\', end)
  }
  return false
}

const colon = /\s*:/y

/** Whether what ended there is a name. */
function isName(text: string, end: number): boolean {
  colon.lastIndex = end
  return colon.test(text)
}

/** Where the string has ended of which `at` is a character or the beginning of an escape. */
function behind(text: string, at: number): number {
  let next = at
  while (text[next] !== '"') next += text[next] === '\\' ? 2 : 1
  return next + 1
}

/** The value of JSON text. Without recursion: it may be nested as deep as it is long. */
function read(text: string, reviver?: Reviver): unknown {
  const root: unknown[] = []
  const holders: Holder[] = [{ at: root, name: undefined }]
  for (let at = 0; at < text.length;) {
    const holder = holders.at(-1)!
    const mark = text[at]!
    if (mark === '{' || mark === '[') {
      const inside = mark === '{' ? {} : []
      put(holder, inside)
      holders.push({ at: inside, name: undefined })
      at++
    } else if (mark === '}' || mark === ']') {
      holders.pop()
      at++
    } else if (mark === '"') {
      const end = behind(text, at + 1)
      const found = stringOf(text, at, end)
      if (holder.name === undefined && !Array.isArray(holder.at)) holder.name = found
      else put(holder, found)
      at = end
    } else if (between.includes(mark)) at++
    else {
      const end = behindWord(text, at)
      put(holder, wordOf(text.slice(at, end), reviver))
      at = end
    }
  }
  return root[0]
}

/** What is being filled, and the name whose value comes next. */
interface Holder {
  at: unknown[] | Record<string, unknown>
  name: string | undefined
}

const between = ' \t\n\r,:'
const member = { enumerable: true, configurable: true, writable: true }

function put(holder: Holder, value: unknown): void {
  const { at, name } = holder
  if (Array.isArray(at)) at.push(value)
  else if (name === '__proto__') Object.defineProperty(at, name, { value, ...member })
  else at[name!] = value
  holder.name = undefined
}

function stringOf(text: string, at: number, end: number): string {
  const plain = text.slice(at + 1, end - 1)
  return plain.includes('\\') ? (JSON.parse(text.slice(at, end)) as string) : plain
}

function behindWord(text: string, at: number): number {
  let next = at + 1
  while (next < text.length && !/[\s,\]}]/.test(text[next]!)) next++
  return next
}

function wordOf(source: string, reviver?: Reviver): unknown {
  const value: unknown = JSON.parse(source)
  return reviver && typeof value === 'number' ? reviver('', value, { source }) : value
}

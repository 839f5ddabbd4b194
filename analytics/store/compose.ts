// Creates one SQL text for each set of facts that a query needs. Optional parts are marked by comments, so that a file
// also runs unchanged, in its fullest form:
//   /*if team*/ A /*end*/              A if the fact `team` is needed, otherwise nothing
//   /*if no past*/ A /*else B end*/    A if the fact `past` is not needed, otherwise B, which has no marks of its own
//   /*if team and no past*/, /*if past or team*/    combined; `and` binds tighter
// Parts are nested at most two deep, and a file's header lists its marks: a test checks both.
// The call of a composable view is replaced by that view's own text, composed for the same facts, with its parameters
// bound as in the call. Parameters that a call does not name are those of the query. A call may exclude a column, and
// with it what that brings, or a fact:
//   cost_slice(/*without team_id*/ org = {org:String}, ...)
// Only declared texts are combined here: values are bound, never joined into the SQL.
import { withoutComments } from '#engine/store/migrate.ts'

type Names = ReadonlySet<string>

export interface Language {
  /** Every view, as its file creates it. */
  views: () => readonly string[]
  /** The views whose calls are replaced by their text. */
  composable: readonly string[]
  /** What a name requires: the name of a column that is read, of a parameter that is filled, or of another fact. */
  brings: Readonly<Record<string, readonly string[]>>
  /** Filter parameters of composable views: each is a fact once it is filled. */
  narrowing: readonly string[]
}

/** `asked` are the names of columns that are read and of parameters that are filled. */
export interface ComposedQuery {
  /** Of everything these names require, what the text depends on, in order. */
  factsOf(asked: Iterable<string>): string[]
  textOf(asked: Iterable<string>): string
  /** Every fact that the text depends on, in order. */
  marks(): readonly string[]
}

/** The names of parameters with a value: not an empty list, not empty text and not 0. */
export const listFilledParams = (given: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(given).filter((name) => (Array.isArray(given[name]) ? given[name].length > 0 : Boolean(given[name])))

/** Composes queries over the views of a language. */
export class Composer {
  private readonly language: Language
  private readonly known: Names
  private names: Names = new Set()
  private views: ReadonlyMap<string, Piece[]> = new Map()

  constructor(language: Language) {
    const { brings, narrowing } = language
    this.language = language
    this.known = new Set([...Object.keys(brings), ...Object.values(brings).flat(), ...narrowing])
  }

  /** Only once. @throws Error like `compose`, for the views */
  private read(): void {
    if (this.views.size > 0) return
    const views = new Map(this.language.views().map((text) => bodyOf(withoutComments(text))))
    this.names = new Set(views.keys())
    const textOf = (name: string) => views.get(name) ?? fail(name, 'is not a view')
    this.views = new Map(this.language.composable.map((name) => [name, parse(name, textOf(name), this.known)]))
    for (const [name, pieces] of this.views) this.check(name, pieces, [])
  }

  /**
   * The texts of a query with these parameters.
   * @throws Error for unpaired marks, for unknown facts, views and parameters, and for calls that filter differently
   * from the query
   */
  compose(name: string, sql: string, params: readonly string[]): ComposedQuery {
    this.read()
    const pieces = parse(name, withoutComments(sql), new Set([...this.known, ...params]))
    const marked = new Set(this.reached(pieces).flatMap(namesOfMarks))
    this.check(name, pieces, params)
    return {
      marks: () => [...marked].toSorted(),
      factsOf: (asked) => [...this.factsOf(asked)].filter((fact) => marked.has(fact)).toSorted(),
      textOf: (asked) =>
        this.inline(print(pieces, this.factsOf(asked)), [...asked], new Set())
          .replaceAll(/\n\s*\n/g, '\n')
          .trim(),
    }
  }

  /** Like `compose`, but at first use: there are a hundred queries, and most processes use few. */
  later(...declared: Parameters<Composer['compose']>): ComposedQuery {
    let put: ComposedQuery | undefined
    const composed = () => (put ??= this.compose(...declared))
    return {
      marks: () => composed().marks(),
      factsOf: (asked) => composed().factsOf(asked),
      textOf: (asked) => composed().textOf(asked),
    }
  }

  /** These pieces and those of all views that they use. */
  private reached(pieces: Piece[]): Piece[][] {
    const text = textsIn(pieces)
    const called = [...this.views].filter(([name]) => text.includes(`${name}(`))
    return [pieces, ...called.flatMap(([, own]) => this.reached(own))]
  }

  /** Everything these names require, including the names themselves. */
  private factsOf(asked: Iterable<string>): Set<string> {
    const facts = new Set(asked)
    // Added facts are visited too.
    for (const fact of facts) for (const more of this.language.brings[fact] ?? []) facts.add(more)
    return facts
  }

  private inline(text: string, asked: readonly string[], dropped: Names): string {
    return eachCall(text, this.views, (view, bound, without) => {
      const left = asked.filter((name) => name !== without)
      const out = without === undefined ? dropped : new Set([...dropped, without])
      const facts = [...this.factsOf(left)].filter((fact) => !out.has(fact))
      const body = print(this.views.get(view)!, new Set(facts))
      return `(${this.inline(
        body.replaceAll(placeholder, (own, name) => bound.get(name) ?? own),
        left,
        out,
      )})`
    })
  }

  /** Every part of the text occurs in the form with all facts or in the form without any. */
  private check(question: string, pieces: readonly Piece[], params: readonly string[]): void {
    for (const facts of [new Set<string>(), new Set([...this.known, ...params])])
      this.checkCalls(question, print(pieces, facts), new Set(params))
  }

  private checkCalls(question: string, text: string, params: Names): void {
    for (const [, view = ''] of text.matchAll(/\b(?:FROM|JOIN)\s+(\w+)\(/g))
      if (!this.names.has(view) && view !== 'numbers') fail(question, `uses ${view}, which is not a view`)
    eachCall(text, this.views, (view, bound, without) => {
      const own = namesIn(this.views.get(view)!)
      for (const [name, value] of bound) {
        if (!own.has(name)) fail(question, `passes ${name} to ${view}, which does not accept it`)
        const isOwn = value.startsWith(`{${name}:`) || !params.has(name)
        if (this.known.has(name) && !isOwn) fail(question, `filters ${view} by a different ${name} than its own`)
      }
      if (without !== undefined && !this.known.has(without)) fail(question, `excludes an unknown ${without}`)
      return ''
    })
  }
}

const placeholder = /\{(\w+):[^}]*\}/g

const fail = (where: string, what: string): never => {
  throw new Error(`${where}: ${what}.`)
}

const bodyOf = (text: string): [name: string, body: string] => {
  const [, name = '', body = ''] = /^CREATE OR REPLACE VIEW (\w+) AS\n([^]*)$/.exec(text.trim()) ?? []
  return [name, body]
}

type Piece = string | Part
interface Part {
  /** Alternatives, of each of which everything must hold. */
  condition: readonly (readonly Need[])[]
  inside: Piece[]
  other: string
}

interface Need {
  fact: string
  isNeeded: boolean
}

const mark = /\/\*(?:if (\w[\w ]*)|else ((?:(?!\*\/)[^])*) end|end)\*\//g

function parse(file: string, text: string, known: Names): Piece[] {
  const pieces: Piece[] = []
  const open: Part[] = []
  let at = 0
  for (const { 0: found, 1: asked, 2: other = '', index } of text.matchAll(mark)) {
    const into = open.at(-1)?.inside ?? pieces
    into.push(text.slice(at, index))
    at = index + found.length
    if (asked === undefined) {
      const part = open.pop() ?? fail(file, `${found} has no matching start`)
      part.other = other
    } else {
      const part = { condition: conditionOf(asked), inside: [], other: '' }
      for (const fact of factsIn(part)) if (!known.has(fact)) fail(file, `unknown fact ${fact}`)
      into.push(part)
      open.push(part)
    }
  }
  if (open.length > 0) fail(file, `the part for ${factsIn(open.at(-1)!).join(', ')} has no end`)
  pieces.push(text.slice(at))
  const [odd] = /\/\*(?!without \w+\*\/).*/.exec(textsIn(pieces)) ?? []
  if (odd !== undefined) fail(file, `${odd} is not a marker`)
  return pieces
}

/** `a and no b or c` as [[a, no b], [c]]. */
const conditionOf = (asked: string): Need[][] =>
  asked
    .split(' or ')
    .map((all) =>
      all.split(' and ').map((one) => ({ fact: one.replace(/^no /, ''), isNeeded: !one.startsWith('no ') })),
    )

const factsIn = ({ condition }: Part): string[] => condition.flat().map(({ fact }) => fact)

const isMet = ({ condition }: Part, facts: Names): boolean =>
  condition.some((all) => all.every(({ fact, isNeeded }) => facts.has(fact) === isNeeded))

const print = (pieces: readonly Piece[], facts: Names): string =>
  pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece
      return isMet(piece, facts) ? print(piece.inside, facts) : piece.other
    })
    .join('')

const partsIn = (pieces: readonly Piece[]): Part[] =>
  pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece, ...partsIn(piece.inside)]))
const textsIn = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : `${textsIn(piece.inside)}${piece.other}`)).join('')
/** The facts that parts depend on, and the columns that calls exclude. */
const namesOfMarks = (pieces: readonly Piece[]): string[] => [
  ...partsIn(pieces).flatMap(factsIn),
  ...[...textsIn(pieces).matchAll(/\/\*without (\w+)\*\//g)].map(([, column]) => column!),
]
const namesIn = (pieces: readonly Piece[]): Names =>
  new Set([...textsIn(pieces).matchAll(placeholder)].map(([, name]) => name!))

type OnCall = (view: string, bound: ReadonlyMap<string, string>, without: string | undefined) => string

/** `text` with each call of one of `views` replaced. */
function eachCall(text: string, views: ReadonlyMap<string, unknown>, onCall: OnCall): string {
  const call = /\b(\w+)\((?:\/\*without (\w+)\*\/)?/g
  let written = ''
  let at = 0
  for (let found = call.exec(text); found !== null; found = call.exec(text)) {
    const [{ length }, view = '', without] = found
    if (!views.has(view)) continue
    const { items, end } = listAt(text, found.index + length)
    const bound = items.map((item): [string, string] => {
      const [, name = item, value = ''] = /^(\w+) = ([^]*)$/.exec(item) ?? []
      return [name, value]
    })
    written += text.slice(at, found.index) + onCall(view, new Map(bound), without)
    at = end + 1
    call.lastIndex = at
  }
  return written + text.slice(at)
}

/** The items between commas from `from` to the closing parenthesis, which is the end. */
function listAt(text: string, from: number): { items: string[]; end: number } {
  const items: string[] = []
  let depth = 0
  let at = from
  let end = from
  for (; depth >= 0; end++) {
    const sign = text[end] ?? ')'
    if ('([{'.includes(sign)) depth++
    if (')]}'.includes(sign)) depth--
    if (depth > 0 || (sign !== ',' && depth === 0)) continue
    items.push(text.slice(at, end).trim())
    at = end + 1
  }
  return { items: items.filter((item) => item !== ''), end: end - 1 }
}

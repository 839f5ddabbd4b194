/** Texts of rules: fills placeholders, formats numbers, and adapts plurals. */
import { absent, type Fact } from './contract.ts'
import { numberOf } from './expression.ts'

/** The value of a placeholder; undefined if unknown. */
export type Lookup = (key: string) => Fact

export interface FilledText {
  text: string
  /** All placeholders were known. */
  isComplete: boolean
}

const filters: Readonly<Record<string, (value: Fact) => string>> = {
  percent: (value) => `${roundText((numberOf(value) ?? 0) * 100, 0)}%`,
  int: (value) => roundText(numberOf(value) ?? 0, 0),
  round1: (value) => roundText(numberOf(value) ?? 0, 1),
  usd: (value) => (numberOf(value) ?? 0).toFixed(2),
  list: (value) => (Array.isArray(value) ? value.map(String).join(', ') : String(value)),
}
export const filterNames: readonly string[] = Object.keys(filters)

const roundText = (value: number, places: number): string => String(Math.round(value * 10 ** places) / 10 ** places + 0)

/** Whole numbers from 100 on, otherwise three significant digits. */
export function formatFact(value: Fact): string {
  if (Array.isArray(value)) return value.map(formatFact).join(', ')
  if (typeof value !== 'number') return String(value)
  const size = Math.abs(value)
  if (Number.isInteger(value) || size >= 100) return roundText(value, 0)
  if (size >= 10) return roundText(value, 1)
  return size >= 1 || value === 0 ? roundText(value, 2) : String(Number(value.toPrecision(2)))
}

const placeholder = /\{([^{}|]+)(?:\|([a-z0-9]+))?\}/g

interface Part {
  /** The text before the placeholder. */
  before: string
  /** Undefined after the last one. */
  key?: string
  filter?: string | undefined
}

/** Parsed templates, cached: they are filled for every finding. */
const parts = new Map<string, readonly Part[]>()
const split = new Map<string, readonly string[]>()

function memoize<T>(of: Map<string, T>, template: string, make: (template: string) => T): T {
  const known = of.get(template)
  if (known !== undefined) return known
  const made = make(template)
  of.set(template, made)
  return made
}

function partsOf(template: string): readonly Part[] {
  const found: Part[] = []
  let end = 0
  for (const { 0: all, 1: key, 2: filter, index } of template.matchAll(placeholder)) {
    found.push({ before: template.slice(end, index), key: key!, filter })
    end = index + all.length
  }
  return [...found, { before: template.slice(end) }]
}

/** Fills the placeholders of a template. Unknown values read `unknown`. */
export function fill(template: string, lookup: Lookup): FilledText {
  let isComplete = true
  let text = ''
  for (const { before, key, filter } of memoize(parts, template, partsOf)) {
    text += before
    if (key === undefined) continue
    const value = lookup(key)
    if (value === undefined || value === absent || value === null) {
      isComplete = false
      text += 'unknown'
    } else text += filter === undefined ? formatFact(value) : filters[filter]!(value)
  }
  return { text: fixPlurals(text), isComplete }
}

const countedNouns =
  'days|hours|minutes|seconds|weeks|nodes|replicas|units|instances|versions|shards|slots|workers|vCPUs|VMs|endpoints|snapshots|processing units|requests|operations'
const one = new RegExp(String.raw`(?<![\w.,-])1 (${countedNouns})\b`, 'g')

/** Fixes singular and plural: `3 node(s)`, `port(s) 22, 3389` and `1 days`. */
function fixPlurals(text: string): string {
  const few = text.includes('1 ') ? text.replaceAll(one, (_all, nouns: string) => `1 ${nouns.slice(0, -1)}`) : text
  if (!few.includes('(s)')) return few
  return few
    .replaceAll(/(?<![\w.,-])([\d.]+)((?: [\w-]+){1,3})\(s\)/g, (_all, count: string, nouns: string) =>
      count === '1' ? `1${nouns}` : `${count}${nouns}s`,
    )
    .replaceAll(
      /(\w+)\(s\) (\S+)/g,
      (_all, noun: string, first: string) => `${noun}${first.endsWith(',') ? 's' : ''} ${first}`,
    )
}

/** The sentences whose facts are all known; others are left out. */
export function sentences(template: string, lookup: Lookup): string {
  return memoize(split, template, (all) => all.split(/(?<=[.!?]) (?=[A-Z{])/))
    .map((sentence) => fill(sentence, lookup))
    .flatMap(({ text, isComplete }) => (isComplete ? text : []))
    .join(' ')
}

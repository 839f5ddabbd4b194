/** Prints a report's question as ClickHouse gets it, so that it can be read, explained and run by hand. */
import type { Query } from '#analytics/store/query.ts'
import { matches, type TSchema } from '#engine/value/schema.ts'
import { didYouMean } from '#http/edge/request/nearest.ts'
import { command } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { optionalArgument, textList } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'

const usage = 'tidemark analyst show [QUESTION] [--param NAME=VALUE]...'

type Values = Readonly<Record<string, unknown>>

/** The first sentence of the comment above a question's SQL. */
function summaryOf({ sql }: Query): string {
  const [comment] = /^(?:--.*\n)+/.exec(sql) ?? ['']
  const text = comment.replaceAll(/\n?-- ?/g, ' ').trim()
  return /^.*?(?=[.:](?:\s|$))/.exec(text)?.[0] ?? text
}

/** `[...]` is JSON; other lists are separated by commas. */
function parse(schema: TSchema | undefined, text: string): unknown {
  if (text.startsWith('[')) return JSON.parse(text) as unknown
  const { type } = (schema ?? {}) as { type?: string }
  if (type === 'array') return text === '' ? [] : text.split(',')
  return type === 'string' || Number.isNaN(Number(text)) ? text : Number(text)
}

/** The question's example, with the values of `--param`. @throws UsageError naming a parameter that is unknown or wrong */
function paramsOf(q: Query, given: readonly string[]): Values {
  const schemas: Readonly<Record<string, TSchema>> = q.params.properties
  const known = [...new Set([...Object.keys(schemas), ...q.marks()])]
  const set = given.map((param): [string, unknown] => {
    const [, name = param, text] = /^(\w+)=([^]*)$/.exec(param) ?? []
    if (text === undefined) throw new UsageError(`--param must be NAME=VALUE, got ${param}. Usage: ${usage}`)
    if (!known.includes(name))
      throw new UsageError(`Question ${q.name} has no parameter ${name}${didYouMean(name, known)}`)
    const value = parsed(name, schemas[name], text)
    return [name, value]
  })
  return { ...q.example, ...Object.fromEntries(set) }
}

/** @throws UsageError */
function parsed(name: string, schema: TSchema | undefined, text: string): unknown {
  try {
    const value = parse(schema, text)
    if (schema === undefined || matches(schema, value)) return value
  } catch {
    // Not JSON.
  }
  const { type, enum: among } = schema as { type?: string; enum?: string[] }
  const right = among ? `one of ${among.join(', ')}` : type === 'array' ? 'a list' : `a valid ${type}`
  throw new UsageError(`--param ${name} must be ${right}, got ${text}`)
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\t': '\\t', '\r': '\\r' }
const escaped = (text: string): string => text.replaceAll(/[\\'\n\t\r]/g, (sign) => escapes[sign]!)

/** As ClickHouse reads the value of a parameter. */
function valueText(value: unknown): string {
  if (!Array.isArray(value)) return escaped(String(value))
  return `[${value.map((one) => (typeof one === 'string' ? `'${escaped(one)}'` : valueText(one))).join(', ')}]`
}

function statementOf(q: Query, params: Values): string {
  const used = q.factsFor(params)
  const others = q.marks().filter((mark) => !used.includes(mark))
  return [
    `-- ${q.name}: ${summaryOf(q)}.`,
    ...(used.length > 0 ? [`-- Marks in use: ${used.join(', ')}.`] : []),
    ...(others.length > 0 ? [`-- Marks not in use: ${others.join(', ')}.`] : []),
    ...Object.entries(params).map(([name, value]) => `SET param_${name} = '${escaped(valueText(value))}';`),
    `${q.textFor(params)};`,
  ].join('\n')
}

const list = listOf<{ name: string; summary: string }>(
  { QUESTION: 'name', 'WHAT IT RETURNS': 'summary' },
  'No questions.',
)

export const analystShowCommand = command({
  name: 'analyst show',
  summary: "Print the SQL of a report's question as it is sent to ClickHouse; without QUESTION, list all",
  takes: {
    question: optionalArgument('QUESTION', 'Name of the question: its .sql file in analytics/ without the extension'),
    param: textList(
      'NAME=VALUE',
      'Value of a parameter; separate lists by commas or write JSON; default: an example. A mark of the SQL takes 1',
    ),
  },
  run: async ({ question: name, param }) => {
    const { queries } = await import('#analytics/index.ts')
    const all = queries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    if (name === undefined && param.length === 0) return list(all.map((q) => ({ name: q.name, summary: summaryOf(q) })))
    if (name === undefined) throw new UsageError(`QUESTION is missing. Usage: ${usage}`)
    const q = all.find((one) => one.name === name)
    const names = all.map((one) => one.name)
    if (!q) throw new UsageError(`Unknown question ${name}${didYouMean(name, names)}`)
    const params = paramsOf(q, param)
    return { data: { name, params, sql: q.textFor(params) }, text: statementOf(q, params) }
  },
})

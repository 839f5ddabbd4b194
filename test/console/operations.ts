/**
 * The types of what the console asks, made from the routes it asks. `node test/console/operations.ts` writes them; a test
 * fails where they are not those of the routes any more.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { routes, site } from '#http/index.ts'
import { Meta } from '#http/report/meta.ts'
import type { Route } from '#http/edge/route.ts'
import { noEdge } from '#test/harness/site.ts'

export const web = fileURLToPath(new URL('../../http/console/web/', import.meta.url))
/** All that is served. */
export const everyRoute = site(routes, { version: '', ready: async () => [], within: noEdge })
const folder = path.join(web, 'operation')

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
}

const plain = /^[A-Za-z_$][\w$]*$/
const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : String(value)
const simple: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** A schema as a type. */
export function typeOf(schema: Schema, indent = ''): string {
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, indent)))].join(' | ')
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one, indent)})`).join(' & ')
  if (schema.type === 'array') return arrayOf(typeOf(schema.items ?? {}, indent))
  if (schema.type === 'object') return objectOf(schema, indent)
  return simple[schema.type ?? ''] ?? 'unknown'
}

const arrayOf = (item: string): string =>
  /[|&\s]/.test(item) && !item.startsWith('{') ? `(${item})[]` : item.includes(' | ') ? `(${item})[]` : `${item}[]`

function objectOf(
  { properties = {}, required = [], additionalProperties, patternProperties }: Schema,
  indent: string,
): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = plain.test(name) ? name : literal(name)
    return `${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)}`
  })
  const others =
    Object.values(patternProperties ?? {})[0] ??
    (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  if (others && members.length === 0) return `Record<string, ${typeOf(others, inner)}>`
  if (members.length === 0) return 'Record<string, unknown>'
  return `{\n${members.join('\n')}\n${indent}}`
}

const nameOf = ({ method, path: place }: Route): string => `${method} ${place}`

/** What the modules of the console name: any text between quotes that is the name of a route. */
export function askedOperations(): string[] {
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('operation'),
  )
  const named = files.flatMap((name) =>
    Array.from(
      readFileSync(path.join(web, name), 'utf8').matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g),
      ([, text]) => text!,
    ),
  )
  return [...new Set(named)].toSorted()
}

const wordOf = (name: string): string => /\/([\w-]+)/.exec(name)![1]!
const capital = (word: string): string =>
  word
    .split(/\W+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')

/** The files, by their names below `operation/`. */
export function operationFiles(): Map<string, string> {
  const known = new Map(everyRoute.map((route) => [nameOf(route), route]))
  const words = new Map([...Map.groupBy(askedOperations(), wordOf)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const files = new Map<string, string>()
  for (const [word, names] of words) {
    const members = names.map((name) => {
      const route = known.get(name)
      if (!route) return `  '${name}': { reply: unknown }`
      const reply = route.reply && !route.media ? typeOf(route.reply as Schema, '    ') : 'undefined'
      return `  '${name}': {\n    reply: ${reply}\n  }`
    })
    files.set(
      `${word}.ts`,
      `/** Made from the routes by test/console/operations.ts; never by hand. */\nexport interface ${capital(word)}Operations {\n${members.join('\n')}\n}\n`,
    )
  }
  const imports = [...words.keys()].map((word) => `import type { ${capital(word)}Operations } from './${word}.ts'`)
  const all = [...words.keys()].map((word) => `${capital(word)}Operations`)
  files.set(
    'index.ts',
    `/** What the console asks of the API, and what it is answered. Made from the routes by test/console/operations.ts; never by hand. */\n${imports.join('\n')}\n\nexport interface Operations extends\n  ${all.join(',\n  ')} {}\n\n/** What reports say beside their figures. */\nexport interface ReportMeta ${typeOf(Meta as unknown as Schema)}\n`,
  )
  return files
}

export const writtenFiles = (): Map<string, string> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [name, text] of operationFiles()) writeFileSync(path.join(folder, name), text)
}

/**
 * The types of what the console asks, from the routes it asks. `npm run generate` and `npm run check` write them: the file
 * is not committed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { routes, site } from '#http/index.ts'
import { Meta } from '#http/report/meta.ts'
import type { Route } from '#http/edge/route.ts'
import { typeOf, type Schema } from '#http/client/type.ts'
import { noEdge } from '#test/harness/site.ts'

export const web = fileURLToPath(new URL('../../http/console/web/', import.meta.url))
/** All that is served. */
export const everyRoute = site(routes, { version: '', ready: async () => [], within: noEdge })

const nameOf = ({ method, path: place }: Route): string => `${method} ${place}`

/** What the modules of the console name: any text between quotes that is the name of a route. */
export function askedOperations(): string[] {
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && name !== 'operation.ts',
  )
  const named = files.flatMap((name) =>
    Array.from(
      readFileSync(path.join(web, name), 'utf8').matchAll(/(['"])((?:GET|POST|PUT|PATCH|DELETE) \/[^'"]*)\1/g),
      ([, , text]) => text!,
    ),
  )
  return [...new Set(named)].toSorted()
}

/** Where the module of types is. */
export const operationsFile = path.join(web, 'operation.ts')

/** The module of types. */
export function operationTypes(): string {
  const known = new Map(everyRoute.map((route) => [nameOf(route), route]))
  const members = askedOperations().map((name) => `  '${name}': { reply: ${replyType(known.get(name))} }`)
  return `/** What the console asks of the API, and what it is answered. Generated from the routes, and not committed. */
export interface Operations {
${members.join('\n')}
}

/** What reports say beside their figures. */
export interface ReportMeta ${mutable(typeOf(Meta as object as Schema))}
`
}

function replyType(route: Route | undefined): string {
  if (!route) return 'unknown'
  return route.reply && !route.media ? mutable(typeOf(route.reply as Schema, '  ')) : 'undefined'
}

/** Arrays that the console may sort and fill: an answer is its own. */
const mutable = (type: string): string => type.replaceAll('readonly ', '')

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(operationsFile, operationTypes())

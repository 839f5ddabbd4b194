/** Where the API is, and how what is asked is written. */
import type { Query } from './query.ts'

/** The page stands at `<root>console/<view>`. */
const root = (): URL => new URL('..', location.href.replace(/[?#].*$/, ''))

export type { Query } from './query.ts'

/** Empty values are left out; lists are repeated, for a value may hold a comma. */
export function searchOf(query: Query): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') search.append(name, String(one))
    }
  }
  return search
}

/** `GET /teams/:teamID` with its values put in. */
function pathOf(operation: string, params: Readonly<Record<string, string>> = {}): string {
  const [, path = ''] = operation.split(' ')
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

export const addressOf = (operation: string, params?: Readonly<Record<string, string>>, query: Query = {}): URL => {
  const to = new URL(`.${pathOf(operation, params)}`, root())
  to.search = searchOf(query).toString()
  return to
}

/** A word as a shell takes it. */
const shellQuote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** What a person may type to get the same. The token stays a variable. */
export function curlOf(
  operation: string,
  params?: Readonly<Record<string, string>>,
  query?: Query,
  body?: unknown,
): string {
  const [method = 'GET'] = operation.split(' ')
  const to = shellQuote(addressOf(operation, params, query).href)
  const how = method === 'GET' ? '' : ` -X ${method}`
  const what = body === undefined ? '' : ` -H 'Content-Type: application/json' -d ${shellQuote(JSON.stringify(body))}`
  return `curl -s${how} -H "Authorization: Bearer $TOKEN"${what} ${to}`
}

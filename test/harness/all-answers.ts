/** What an organization is answered by every endpoint that reads: to be compared with what it was answered before something happened elsewhere. */
import { routes } from '#http/index.ts'
import { textOf, type Tenant } from '#test/harness/product.ts'

/** What was asked of an organization is written down there, so its trail grows as it is read; how long messages wait is of the moment, and so is what happens (who hears whose events: test/flows/live.test.ts). */
const passing = ['/security-events', '/events/lag', '/events/stream']
const reads = routes.filter(({ method, path }) => method === 'GET' && !passing.includes(path))

/** The path of a route with these ids in it; any of them where there is none by the name. */
export const pathWith = (template: string, ids: Readonly<Record<string, string>>): string =>
  template.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? Object.values(ids)[0]!)

/** The answer of each endpoint word for word, or its status where it is a refusal, by the path of its route. */
export async function allAnswers(
  { url, token }: Pick<Tenant, 'url' | 'token'>,
  ids: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const answers = await Promise.all(
    reads.map(async (route) => {
      const headers = { Authorization: `Bearer ${token}` }
      const response = await fetch(`${url}${pathWith(route.path, ids)}`, { headers })
      const text = await textOf(response)
      return [route.path, response.ok ? text : String(response.status)] as const
    }),
  )
  return Object.fromEntries(answers)
}

/** What answers otherwise than before: path, answer before and now. */
export const differing = (now: Record<string, string>, before: Record<string, string>) =>
  Object.keys({ ...now, ...before }).flatMap((at) => (now[at] === before[at] ? [] : [[at, before[at], now[at]]]))

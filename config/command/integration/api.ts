/** Any route of the API: of the selected profile by its token, otherwise in this process for the operator, with all checks of a request. */
import { readFileSync } from 'node:fs'
import { command } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { answersOf, servicesOf, withOrganization } from '#config/command/line/engine.ts'
import { argument, optional, org, readAs } from '#config/command/line/flag.ts'
import { operator } from '#config/command/line/operator.ts'
import { askRemote } from '#config/command/line/remote.ts'
import { operatorOf } from '#config/command/line/route.ts'
import type { Instance } from '#config/product/instance.ts'
import { currentProfile } from '#config/settings/profile.ts'
import { servedWith } from '#config/wiring/served-routes.ts'
import { Fault } from '#engine/value/fault.ts'
import type { RequestScope } from '#http/edge/edge.ts'
import type { Services } from '#http/edge/services.ts'
import type { Access } from '#http/identity/organization/caller.ts'

/** `@FILE` is what the file holds. @throws UsageError for a file that cannot be read, and for what is no JSON */
function readBody(given: string | undefined, name: string): string | undefined {
  if (given === undefined) return undefined
  try {
    const text = given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given
    JSON.parse(text)
    return text
  } catch (error) {
    throw new UsageError(`${name} must be JSON, or @ and a file with JSON: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]

/** @throws UsageError */
function methodNamed(given: string, name: string): Method {
  const method = methods.find((one) => one === given.toUpperCase())
  if (method === undefined) throw new UsageError(`${name} must be one of ${methods.join(', ')}, got ${given}`)
  return method
}

/** @throws UsageError */
function checkPath(given: string, name: string): string {
  if (!given.startsWith('/')) throw new UsageError(`${name} must start with /, got ${given}`)
  return given
}

/** Callers that the operator is none of. */
const others: readonly Access[] = ['session', 'user', 'scim', 'internal']

const scopeOf = (orgId: string, services: Services): RequestScope => ({
  async caller(_, { permission }) {
    if (others.includes(permission))
      throw Fault.forbidden('forbidden', 'Only a signed-in user, a directory or a service can call this route.')
    return { ...operatorOf(orgId), kind: 'pat' }
  },
  services: () => services,
})

export const apiCommand = command({
  name: 'api',
  summary: 'Call any route of the API and print its response',
  usage: 'METHOD PATH [--org ORG] [--body JSON|@FILE]',
  takes: {
    method: readAs(argument('METHOD', `One of ${methods.join(', ')}`), methodNamed),
    path: readAs(
      argument('PATH', 'Path with its query, such as "/reports/summary?from=2026-01-01&to=2026-01-31"'),
      checkPath,
    ),
    org,
    body: readAs(optional('JSON|@FILE', 'Body as JSON, or @ and a file with it'), readBody),
  },
  run: async ({ method, path, org: named, body }) => {
    const profile = currentProfile()
    const text = profile
      ? await askRemote({ ...profile, org: named || profile.org }, method, path, body)
      : await withOrganization(named, (instance, orgId) => askLocal(instance, orgId, { method, path, body }))
    const data = dataOf(text)
    return { data, text: typeof data === 'string' ? data : JSON.stringify(data, null, 2) }
  },
})

interface Question {
  method: Method
  path: string
  body: string | undefined
}

/** @throws Fault with the code and words of a refusal */
async function askLocal(instance: Instance, orgId: string, { method, path, body }: Question): Promise<string> {
  const [{ routes }, { searches }, { edge }, { within }] = await Promise.all([
    import('#http/index.ts'),
    import('#http/search/routes.ts'),
    import('#http/edge/edge.ts'),
    import('#http/edge/inner-request.ts'),
  ])
  const services = (method === 'GET' ? answersOf : servicesOf)(instance, orgId)
  const inner = within(() => served)
  const served = edge([...servedWith(instance.settings, routes), ...searches(inner)], scopeOf(orgId, services))
  const { status, text } = await inner(
    { method, url: path, ...(body !== undefined && { body }) },
    { ip: operator.ip, headers: { 'user-agent': operator.userAgent } },
  )
  if (status < 400) return text
  const { code, detail } = dataOf(text) as { code: string; detail: string }
  throw Fault.invalid(code, detail)
}

/** Null for a response without a body; text for one that is no JSON. */
function dataOf(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

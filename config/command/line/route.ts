/** Routes carried out for an operator, who may do everything: what the API refuses is refused here, in the same words. */
import { systemRights } from '#http/identity/organization/role.ts'
import { bodyInput, textInput } from '#http/edge/request/decode.ts'
import type { Route } from '#http/edge/route.ts'
import { Reply } from '#http/store/reply.ts'
import { operator } from './operator.ts'
import { answersOf, findOrganization, servicesOf } from './engine.ts'
import type { Instance } from '#config/product/instance.ts'

/** Members that are undefined are left out. */
export interface RouteInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  body?: object
}

/** One page of a list. */
export interface ListPage<T> {
  items: readonly T[]
  hasMore: boolean
}

/** An operator as a caller: may do what an owner may. */
export const operatorOf = (orgId: string) => ({
  ...systemRights('owner'),
  orgId,
  userId: 'operator',
  principal: 'operator',
})

/** The payload that `METHOD path` answers; of a GET also while no product runs. @throws Fault as the route does */
export async function carriedOut<T>(
  instance: Instance,
  orgId: string,
  name: string,
  given: RouteInput = {},
): Promise<T> {
  const { routes } = await import('#http/index.ts')
  const route = routes.find(({ method, path }) => `${method} ${path}` === name)!
  await findOrganization(instance, orgId)
  const services = (route.method === 'GET' ? answersOf : servicesOf)(instance, orgId)
  const caller = { ...operatorOf(orgId), kind: 'internal' }
  const request = { caller, client: operator, url: route.path, headers: {}, ...inputOf(route, given) }
  const answer = await route.handle(request as never, services)
  return (answer instanceof Reply ? answer.payload : answer) as T
}

const inputOf = ({ query, body }: Route, given: RouteInput) => ({
  params: given.params ?? {},
  query: query ? textInput(query, 'query')(present(given.query, String)) : {},
  ...(body && { body: bodyInput(body)(given.body && present(given.body, (value) => value)) }),
})

const present = <T>(members: object = {}, as: (value: unknown) => T): Record<string, T> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, as(value)]])),
  )

/** The items of all pages of a list. */
export async function everyItem<T>(
  instance: Instance,
  orgId: string,
  name: string,
  query: RouteInput['query'] = {},
): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const found = await carriedOut<ListPage<T>>(instance, orgId, name, { query: { ...query, limit: 100, page } })
    items.push(...found.items)
    if (!found.hasMore) return items
  }
}

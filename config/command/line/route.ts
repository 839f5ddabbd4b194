/** Routes carried out for an operator, who may do everything: what the API refuses is refused here, in the same words. */
import { systemRights } from '#http/identity/organization/role.ts'
import { bodyInput, textInput } from '#http/edge/request/decode.ts'
import type { Route } from '#http/edge/route.ts'
import { Reply } from '#http/store/reply.ts'
import { operator } from './operator.ts'
import type { Api, RouteInput } from './api.ts'
import { answersOf, servicesOf } from './engine.ts'
import type { Instance } from '#config/product/instance.ts'

/** An operator as a caller: may do what an owner may. */
export const operatorOf = (orgId: string) => ({
  ...systemRights('owner'),
  orgId,
  userId: 'operator',
  principal: 'operator',
})

/** The API for an organization, as the operator: reads also while no product runs. */
export const localApi = (instance: Instance, orgId: string): Api => ({
  async ask<T>(name: string, given: RouteInput = {}) {
    const { routes } = await import('#http/index.ts')
    const route = routes.find(({ method, path }) => `${method} ${path}` === name)!
    const services = (route.method === 'GET' ? answersOf : servicesOf)(instance, orgId)
    const caller = { ...operatorOf(orgId), kind: 'internal' }
    const request = { caller, client: operator, url: route.path, headers: {}, ...inputOf(route, given) }
    const answer = await route.handle(request as never, services)
    return (answer instanceof Reply ? answer.payload : answer) as T
  },
})

/** Checks a body by the schema of its route, without sending it. @throws Fault as the route refuses it */
export async function checkBody(name: string, body: object): Promise<void> {
  const { routes } = await import('#http/index.ts')
  const route = routes.find(({ method, path }) => `${method} ${path}` === name)!
  if (route.body) bodyInput(route.body)(body)
}

const inputOf = ({ params, query, body }: Route, given: RouteInput) => ({
  params: params ? textInput(params, 'path')(given.params ?? {}) : {},
  query: query ? textInput(query, 'query')(present(given.query, textOf)) : {},
  ...(body && { body: bodyInput(body)(given.body && present(given.body, (value) => value)) }),
})

/** Several values stay a list. */
const textOf = (value: unknown): string | string[] => (Array.isArray(value) ? value.map(String) : String(value))

const present = <T>(members: object = {}, as: (value: unknown) => T): Record<string, T> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, as(value)]])),
  )

/** What commands need that ask an actor of a running product. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Asker } from '#engine/ask.ts'
import { isUuid } from '#engine/id.ts'
import { Organization } from '#http/identity/entity.ts'
import type { Happened } from '#http/identity/audit.ts'
import type { Services } from '#http/edge/services.ts'
import { recordOfOperator } from '#config/command/operator.ts'
import type { Instance } from '#config/instance.ts'
import { tokens } from '#config/tokens.ts'

export const notRunning = 'Nothing runs that could do it: start the product (npm start), then try again.'

/** Nobody else changes what actors hold. @throws Error where no product runs */
export function askerOf({ product, isRunning }: Instance): Asker {
  if (!isRunning) throw new Error(notRunning)
  return product().get(tokens.asker)
}

/** What handlers of the edge use, for an organization. @throws Error where no product runs */
export function servicesOf(instance: Instance, orgId: string): Services {
  if (!instance.isRunning) throw new Error(notRunning)
  return answersOf(instance, orgId)
}

/** The same for what only reads, which needs no product that runs. */
export const answersOf = (instance: Instance, orgId: string): Services => instance.services(orgId)

/** An entity manager, once the organization was found. @throws Error where there is none */
export async function ofOrganization({ connections }: Instance, orgId: string): Promise<EntityManager> {
  const em = connections.orm.em.fork()
  if (!isUuid(orgId) || (await em.count(Organization, { id: orgId })) === 0)
    throw new Error(`There is no organization ${orgId}.`)
  return em
}

/** Writes down what the operator did by an actor, which has done it. */
export async function recordDone(
  { connections }: Instance,
  happened: Pick<Happened, 'type' | 'orgId' | 'detail'>,
): Promise<void> {
  const now = new Date(connections.clock.now())
  await connections.orm.em.fork().transactional((tx) => recordOfOperator(tx, happened, now))
}

/** A whole number from 1 to `max`; undefined for what is none. */
export function countOf(given: unknown, max: number): number | undefined {
  const count = typeof given === 'string' ? Number(given) : NaN
  return Number.isInteger(count) && count >= 1 && count <= max ? count : undefined
}

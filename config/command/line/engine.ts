/** What commands need that ask an actor of a running product. */
import type { Asker } from '#engine/actor/ask.ts'
import { isUuid } from '#engine/value/id.ts'
import { Organization } from '#http/identity/entity.ts'
import type { NewSecurityEvent } from '#http/identity/organization/audit.ts'
import type { Services } from '#http/edge/services.ts'
import { nearest } from './nearest.ts'
import { recordOfOperator } from './operator.ts'
import { withInstance, type Instance } from '#config/product/instance.ts'
import { tokens } from '#config/wiring/tokens.ts'

export const notRunning = 'Tidemark is not running. Start it with "npm start", then run this command again.'

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

/** The organization with this ID or name. @throws Error where there is none, or several have the name */
export async function findOrganization({ connections }: Instance, given: string): Promise<Organization> {
  const em = connections.orm.em.fork()
  const found = await em.find(Organization, isUuid(given) ? { id: given } : { name: given }, { limit: 10 })
  if (found.length === 1) return found[0]!
  if (found.length > 1)
    throw new Error(
      `Several organizations are named "${given}". Give the ID of one: ${found.map(({ id }) => id).join(', ')}`,
    )
  const all = await em.find(Organization, {}, { limit: namesMax })
  const name = nearest(
    given,
    all.map((one) => one.name),
  )
  const hint = name === undefined ? 'Run "tidemark org list" to see all organizations.' : `Did you mean "${name}"?`
  throw new Error(`Organization ${given} was not found. ${hint}`)
}

/** So many names are compared with one that was mistyped. */
const namesMax = 1000

/** Runs `work` with the stores open, for the organization with this ID or name. @throws Error where there is none */
export const withOrganization = <T>(
  given: string,
  work: (instance: Instance, orgId: string) => Promise<T>,
): Promise<T> => withInstance(async (instance) => work(instance, (await findOrganization(instance, given)).id))

/** The ID of the organization that a list is narrowed to. An ID is taken as it is: it may have been deleted since. */
export async function organizationFilter(instance: Instance, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined
  return isUuid(given) ? given : (await findOrganization(instance, given)).id
}

/** Writes down what the operator did by an actor, which has done it. */
export async function recordDone(
  { connections }: Instance,
  happened: Pick<NewSecurityEvent, 'type' | 'orgId' | 'detail'>,
): Promise<void> {
  const now = new Date(connections.clock.now())
  await connections.orm.em.fork().transactional((tx) => recordOfOperator(tx, happened, now))
}

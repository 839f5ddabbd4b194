import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Organization } from '#http/identity/entity.ts'
import { checkedName } from '#streams/text.ts'

/** Makes an organization without members: an operator's way to one. @throws Fault `invalid` for a wrong name */
export async function createOrganization(em: EntityManager, name: string, now = new Date()): Promise<Organization> {
  const organization = em.create(Organization, { id: randomUUID(), name: checkedName(name), createdAt: now })
  await em.persist(organization).flush()
  return organization
}

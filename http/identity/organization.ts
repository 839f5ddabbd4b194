import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/fault.ts'
import { Organization } from '#http/identity/entity.ts'

const nameLengthMax = 100

/** @throws Fault `invalid` when a name is not 1 to 100 characters */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed.length >= 1 && trimmed.length <= nameLengthMax) return trimmed
  throw Fault.invalid('validation_failed', `A name has 1 to ${nameLengthMax} characters.`)
}

/** Makes an organization without members: an operator's way to one. @throws Fault `invalid` for a wrong name */
export async function createOrganization(em: EntityManager, name: string, now = new Date()): Promise<Organization> {
  const organization = em.create(Organization, { id: randomUUID(), name: checkedName(name), createdAt: now })
  await em.persist(organization).flush()
  return organization
}

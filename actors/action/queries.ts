import type { EntityManager } from '@mikro-orm/postgresql'
import { Action, BulkAction, Power } from '#actors/action/entity.ts'
import { Resource } from '#actors/resource/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import type { ActionRecord } from '#streams/action/messages.ts'

/** The existing resource with this uid in this account. @throws Fault `missing` */
export async function foundPlaced(
  em: EntityManager,
  orgId: string,
  cloudAccountId: string,
  uid: string,
): Promise<Resource> {
  const resource = await em.findOne(Resource, { orgId, cloudAccountId, uid, deletedAt: null })
  if (!resource) throw Fault.missing('resource', uid)
  return resource
}

type ActionView = Omit<ActionRecord, 'revision' | 'source' | 'nextAttemptAt' | 'attempt'>

const toActionView = (action: Action): ActionView => {
  const { id: actionId, cloudAccountId, resourceUid, provider, resourceType, region, status } = action
  return {
    actionId,
    cloudAccountId,
    resourceUid,
    provider,
    resourceType,
    region,
    status,
    action: action.action,
    reason: action.reason ?? null,
    errorMessage: action.errorMessage ?? null,
    createdAt: action.createdAt.toISOString(),
    startedAt: action.startedAt?.toISOString() ?? null,
    endedAt: action.endedAt?.toISOString() ?? null,
  }
}

const listRecords = (power: Power | null): (ActionRecord | null | undefined)[] => [
  power?.live?.record,
  power?.waiting?.record,
  power?.last,
]

/**
 * What is known of an action: from the power row of its resource, which has it first, otherwise from its own record.
 * @throws Fault `missing`
 */
export async function foundAction(em: EntityManager, orgId: string, id: string): Promise<ActionView> {
  const power = await em.findOne(Power, { orgId, $or: [{ liveId: id }, { waitingId: id }, { lastId: id }] })
  const known = listRecords(power).find((record) => record?.actionId === id)
  if (known) return known
  const action = await em.findOne(Action, { orgId, id })
  if (!action) throw Fault.missing('action', id)
  return toActionView(action)
}

/** A bulk action that people see. @throws Fault `missing` */
export async function foundBulk(em: EntityManager, orgId: string, id: string): Promise<BulkAction> {
  const bulk = await em.findOne(BulkAction, { orgId, id, shown: true })
  if (!bulk) throw Fault.missing('bulk action', id)
  return bulk
}

/** The bulk action requested last. @throws Fault `missing` if there is none */
export async function latestBulk(em: EntityManager, orgId: string): Promise<BulkAction> {
  const orderBy = { createdAt: 'desc', id: 'desc' } as const
  const [bulk] = await em.find(BulkAction, { orgId, shown: true }, { orderBy, limit: 1 })
  if (!bulk) throw Fault.missing('bulk action', 'latest')
  return bulk
}

/**
 * Provisioned objects as resources like those of the world: discovered, measured, changed and billed in the same way.
 */
import { dayOf } from '#engine/value/day.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { ActionLog, KnownMaking, MadeObject } from '#streams/cloud/simulated/action/log.ts'
import { attributesOf } from '#streams/cloud/simulated/world/attributes/attributes.ts'
import { isPriced } from '#streams/cloud/simulated/bill/price.ts'
import type { SimAccount, SimResource } from '#streams/cloud/simulated/world/resource.ts'

/** Their resource group in Azure. */
export const resourceGroup = 'rg-sim-tidemark'

/** A producer's account as a simulated account. */
const asSimulated = ({ provider, externalId, name, regions }: CloudAccount): SimAccount => ({
  provider,
  externalId,
  name,
  regions,
  born: '1970-01-01',
})

/**
 * All that an inventory contains, including deleted resources; with a time, without those that are still being created
 * then.
 */
export function madeResources(
  log: ActionLog,
  account: CloudAccount,
  sim: SimAccount | undefined,
  now?: Date,
): SimResource[] {
  const owner = sim ?? asSimulated(account)
  const makings = [...log.makings(account).values()].filter(({ at }) => !now || at <= now.getTime())
  return makings.flatMap((making) =>
    making.objects.flatMap((object) => (object.type === undefined ? [] : [resourceOf(making, object, owner)])),
  )
}

export function madeResource(
  log: ActionLog,
  account: CloudAccount,
  sim: SimAccount | undefined,
  uid: string,
): SimResource | undefined {
  for (const making of log.makings(account).values()) {
    const object = making.objects.find((one) => one.uid === uid && one.type !== undefined)
    if (object) return resourceOf(making, object, sim ?? asSimulated(account))
  }
  return undefined
}

function resourceOf(making: KnownMaking, object: MadeObject, account: SimAccount): SimResource {
  const { name, uid, type = '', size, units, gb, parentUid, specs } = object
  const { region, tags, at } = making
  const counted = { ...(size !== undefined && { size }), ...(units !== undefined && { units }) }
  const attributes = attributesOf({ type, name, region, team: '', ...counted, ...(gb !== undefined && { gb }) })
  return {
    account,
    uid,
    name,
    type,
    region,
    parentUid,
    group: account.provider === 'azure' ? resourceGroup : undefined,
    size,
    sizeGB: gb,
    gbADay: 0,
    units,
    usage: 0,
    tags,
    specs: { ...attributes, ...specs },
    since: {},
    until: {},
    born: dayOf(at),
    unchanged: undefined,
    load: 'steady',
    hours: 'always',
    formerHours: undefined,
    purchase: undefined,
    resize: undefined,
    policies: [],
    owned: false,
    ...(!isPriced(type, size ?? '') && { isUnpriced: true as const }),
  }
}

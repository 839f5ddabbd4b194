/** The policy that the role of an account needs, printed from the table of permissions: no more than that. */
import { type Access, type Permission } from '#streams/cloud/permission/permission-types.ts'
import { awsPermissions, billBucket } from './permissions.ts'

export interface PolicyOptions {
  /** Also what changes something. */
  write?: boolean
  /** Holds the bill's export; left out, its name is left to be put in. */
  bucket?: string
}

interface PolicyStatement {
  Sid: string
  Effect: 'Allow'
  Action: readonly string[]
  Resource: string | readonly string[]
}

/** As IAM takes it. */
export interface PolicyDocument {
  Version: '2012-10-17'
  Statement: readonly PolicyStatement[]
}

/** One statement for each use, access and set of resources; a permission stands in the first that needs it. */
export function policyDocument(
  _provider: 'aws',
  { write = false, bucket = billBucket }: PolicyOptions = {},
): PolicyDocument {
  const wanted = orderPermissions().filter(({ access }) => write || access === 'read')
  const groups = Map.groupBy(wanted, (one) => `${one.use} ${one.access} ${(one.resources ?? []).join(' ')}`)
  const said = new Set<string>()
  const sids = new Map<string, number>()
  const statements = [...groups.values()].flatMap((some) => {
    const [{ use, access, resources }] = some as [Permission, ...Permission[]]
    const Resource = resources?.map((one) => one.replace(billBucket, bucket)) ?? '*'
    const key = (name: string) => `${name} ${String(Resource)}`
    const Action = [...new Set(some.flatMap(({ names }) => names))].filter((name) => !said.has(key(name)))
    for (const name of Action) said.add(key(name))
    return Action.length === 0
      ? []
      : [{ Sid: toUniqueSid(sids, sidOf(use, access)), Effect: 'Allow' as const, Action: Action.toSorted(), Resource }]
  })
  return { Version: '2012-10-17', Statement: statements }
}

/** What is seen before what is changed, and what all need first. */
const order = ['discovery', 'metrics', 'bills', 'autoscaling', 'actions', 'provisioning'] as const
const orderPermissions = (): Permission[] =>
  (['read', 'write'] as const).flatMap((access) =>
    order.flatMap((use) => awsPermissions.filter((one) => one.use === use && one.access === access)),
  )

const sidOf = (use: string, access: Access): string => `Tidemark${capitalize(use)}${capitalize(access)}`
const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Sids are unique within a policy. */
function toUniqueSid(sids: Map<string, number>, sid: string): string {
  const count = (sids.get(sid) ?? 0) + 1
  sids.set(sid, count)
  return count === 1 ? sid : `${sid}${count}`
}

/** The minimal policy for an account's role, generated from the table of permissions. */
import { type Access, type Permission } from '#streams/cloud/permission/permission-types.ts'
import { awsPermissions, billBucket } from './permissions.ts'

export interface PolicyOptions {
  /** Include write permissions. */
  write?: boolean
  /** The bucket of the bill's export; if missing, the policy has a placeholder. */
  bucket?: string
}

interface PolicyStatement {
  Sid: string
  Effect: 'Allow'
  Action: readonly string[]
  Resource: string | readonly string[]
}

/** In IAM's format. */
export interface PolicyDocument {
  Version: '2012-10-17'
  Statement: readonly PolicyStatement[]
}

/** One statement for each use, access and set of resources. A permission is in the first statement that needs it. */
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
  const document: PolicyDocument = { Version: '2012-10-17', Statement: statements }
  return JSON.stringify(document).length <= charactersMax ? document : { ...document, Statement: shorten(statements) }
}

/** Of all policies in a role together, as IAM counts them. */
const charactersMax = 10_240
/** From so many permissions with the same beginning on, it stands for them. */
const alikeMin = 4

/**
 * Lists and descriptions are put together by service: they read what a role that changes resources has to see anyway. What a
 * former statement allows of everything is not repeated.
 */
function shorten(statements: readonly PolicyStatement[]): PolicyStatement[] {
  const starts = new Set<string>()
  return statements.flatMap((statement) => {
    if (statement.Resource !== '*') return [statement]
    const left = statement.Action.filter((name) => !starts.has(startOf(name)))
    const groups = Map.groupBy(left, startOf)
    const Action = [...groups].flatMap(([start, names]) => {
      if (names.length < alikeMin || start === names[0]) return names
      starts.add(start)
      return [`${start}*`]
    })
    return Action.length === 0 ? [] : [{ ...statement, Action: Action.toSorted() }]
  })
}

/** `ec2:Describe`; of other permissions the whole name. */
const startOf = (name: string): string => /^[\w-]+:(Describe|List)(?=[A-Z])/.exec(name)?.[0] ?? name

/** Order of statements: reading before writing, and common permissions first. */
const order = ['discovery', 'metrics', 'bills', 'autoscaling', 'actions', 'provisioning'] as const
const orderPermissions = (): Permission[] =>
  (['read', 'write'] as const).flatMap((access) =>
    order.flatMap((use) => awsPermissions.filter((one) => one.use === use && one.access === access)),
  )

const sidOf = (use: string, access: Access): string => `Tidemark${capitalize(use)}${capitalize(access)}`
const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Statement ids must be unique within a policy. */
function toUniqueSid(sids: Map<string, number>, sid: string): string {
  const count = (sids.get(sid) ?? 0) + 1
  sids.set(sid, count)
  return count === 1 ? sid : `${sid}${count}`
}

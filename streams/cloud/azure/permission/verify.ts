/** Verifies the application's permissions one by one, from the list of what its roles in the subscription allow. */
import { Fault } from '#engine/value/fault.ts'
import { decoder, t, type Static } from '#engine/value/schema.ts'
import {
  isCredentialsRefused,
  type CloudAccount,
  type Connector,
  type PermissionCheck,
  type Verification,
} from '#streams/cloud/connector.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { principalOf } from '#streams/cloud/azure/session/credentials.ts'
import { permissionIn } from '#streams/cloud/scan/scan.ts'
import { isAbsent } from '#streams/cloud/azure/discover/finder.ts'
import { azurePermissions, blobRead } from './permissions.ts'
import { placeOf } from '#streams/cloud/azure/bill/location.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'

export interface AzureVerification {
  open: (account: CloudAccount) => AzureSession
}

/** @throws a `cloudFault` if Azure cannot be reached. If Azure refuses the credentials, the verdict is `none`. */
export function verifyAzure({ open }: AzureVerification): Connector['verify'] {
  return async (account) => {
    try {
      return await verdictIn(open(account), account)
    } catch (error) {
      if (!(error instanceof Fault) || !isCredentialsRefused(error)) throw error
      return none(`${error.message} ${hintOf(error)}`.trim())
    }
  }
}

const none = (message: string): Verification => ({ verdict: 'none', missingPermissions: [], message })

const hintOf = ({ detail }: Fault): string => (typeof detail['fixHint'] === 'string' ? detail['fixHint'] : '')

const unassignedVerification = ({ externalId }: CloudAccount): Verification =>
  none(
    `The application cannot see the subscription ${externalId}. Assign it the role printed by tidemark account policy azure, or use the ID of another subscription.`,
  )

async function verdictIn(session: AzureSession, account: CloudAccount): Promise<Verification> {
  const subscription = await findSubscription(session)
  if (!subscription) return unassignedVerification(account)
  const tenant = textAt(subscription, 'tenantId')?.toLowerCase()
  const { tenantID } = principalOf(account)
  if (tenant !== undefined && tenant !== tenantID)
    return none(`The subscription ${account.externalId} belongs to the tenant ${tenant}, not to ${tenantID}.`)
  const permissions = await permissionsOf(session)
  if (permissions?.length === 0) return unassignedVerification(account)
  const blobs = account.billingExport ? await billState(session, account.billingExport.location) : undefined
  const checks = wantedOf(blobs !== undefined).map(({ name, access }) => ({
    name,
    access,
    state: name === blobRead ? blobs! : stateOf(permissions, name),
  }))
  return verdictOf(checks, textAt(subscription, 'state') ?? 'Enabled')
}

/** The subscription; undefined if the application has no role in it. */
async function findSubscription(session: AzureSession) {
  try {
    return await session.ask({ path: session.path(), query: { 'api-version': '2022-12-01' } })
  } catch (error) {
    if (isAbsent(error) || permissionIn(error) !== undefined) return undefined
    throw error
  }
}

const RoleActions = t.Object(
  {
    actions: t.Optional(t.Array(t.String())),
    notActions: t.Optional(t.Array(t.String())),
  },
  { additionalProperties: true },
)
const decode = decoder(t.Object({ value: t.Array(RoleActions) }, { additionalProperties: true }))
type RoleActions = Static<typeof RoleActions>

/** The permissions of each of our roles; undefined if they may not be queried. */
async function permissionsOf(session: AzureSession): Promise<readonly RoleActions[] | undefined> {
  const path = session.path('/providers/Microsoft.Authorization/permissions')
  try {
    const roles: RoleActions[] = []
    for await (const answer of session.answers({ path, query: { 'api-version': '2022-04-01' } }))
      roles.push(...decode(answer).value)
    return roles
  } catch (error) {
    if (permissionIn(error) !== undefined) return undefined
    throw error
  }
}

/** A role allows actions that one of its patterns matches and none of its exceptions; roles add up. */
function stateOf(roles: readonly RoleActions[] | undefined, name: string): PermissionCheck['state'] {
  if (!roles) return 'unknown'
  const isAllowed = roles.some(({ actions = [], notActions = [] }) => names(actions, name) && !names(notActions, name))
  return isAllowed ? 'granted' : 'missing'
}

/** A star matches anything; ignores case. */
export const names = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => {
    const shape = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${shape.join('.*')}$`, 'i').test(name)
  })

/** Whether the bill's blobs can be listed. Stored data has separate permissions, in whatever subscription it is. */
async function billState(session: AzureSession, location: string): Promise<PermissionCheck['state']> {
  try {
    const { account, container } = placeOf(location)
    const query = { restype: 'container', comp: 'list', maxresults: '1' }
    await session.raw({ host: { blobs: account }, path: `/${container}`, query, ...blobCall })
    return 'granted'
  } catch (error) {
    if (isCredentialsRefused(error) || !(error instanceof Fault)) throw error
    return permissionIn(error) === undefined ? 'unknown' : 'missing'
  }
}

const blobCall = { permission: blobRead, headers: { 'x-ms-version': '2023-11-03' } }

/** Each permission once; one needed for reading and writing counts as reading. */
function wantedOf(hasBill: boolean): Pick<PermissionCheck, 'name' | 'access'>[] {
  const wanted = new Map<string, Pick<PermissionCheck, 'name' | 'access'>>()
  for (const { names: all, access } of azurePermissions)
    for (const name of all)
      if ((hasBill || name !== blobRead) && (!wanted.has(name) || access === 'read')) wanted.set(name, { name, access })
  return [...wanted.values()]
}

/** Missing write permissions are normal for read-only access, so they are only listed in `permissions`. */
function verdictOf(permissions: readonly PermissionCheck[], state: string): Verification {
  const having = (access: PermissionCheck['access'], of: PermissionCheck['state']) =>
    permissions.filter((one) => one.access === access && one.state === of).map(({ name }) => name)
  const lacksRead = having('read', 'missing')
  const may = having('read', 'granted')
  if (may.length === 0 && lacksRead.length > 0)
    return {
      ...none(
        'The application has none of the required permissions. Assign it the role printed by tidemark account policy azure.',
      ),
      missingPermissions: lacksRead.toSorted(),
      permissions,
    }
  if (may.length === 0)
    return {
      verdict: 'unknown',
      missingPermissions: [],
      permissions,
      message: 'The permissions of the application cannot be read. Allow it Microsoft.Authorization/permissions/read.',
    }
  const isWriting = having('write', 'granted').length > 0
  const missingPermissions = [...lacksRead, ...(isWriting ? having('write', 'missing') : [])].toSorted()
  const told = [
    ...(state === 'Enabled' ? [] : [`The subscription is ${state}: Azure does not allow changes in it.`]),
    ...(missingPermissions.length === 0
      ? []
      : [
          `The application is missing ${missingPermissions.length} permissions. Compare its role with the output of tidemark account policy azure${isWriting ? ' --write' : ''}.`,
        ]),
  ]
  return {
    verdict: isWriting ? 'read_write' : 'read_only',
    missingPermissions,
    permissions,
    ...(told.length > 0 && { message: told.join(' ') }),
  }
}

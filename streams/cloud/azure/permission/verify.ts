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
import { eachOnce, noAccess, refusedAccess, verdictOf, type VerdictRules } from '#streams/cloud/permission/verdict.ts'
import { azurePermissions, blobRead, costRead } from './permissions.ts'
import { placeIn, scopeShape } from '#streams/cloud/azure/bill/location.ts'
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
      return refusedAccess(error)
    }
  }
}

const rules: VerdictRules = {
  table: azurePermissions,
  who: 'The application',
  document: 'role',
  give: 'Assign it the role',
  command: 'tidemark account policy azure',
  unknown: 'The permissions of the application cannot be read. Allow it Microsoft.Authorization/permissions/read.',
}

const unassignedVerification = ({ externalId }: CloudAccount): Verification =>
  noAccess(
    `The application cannot see the subscription ${externalId}. Assign it the role printed by tidemark account policy azure, or use the ID of another subscription.`,
  )

async function verdictIn(session: AzureSession, account: CloudAccount): Promise<Verification> {
  const subscription = await findSubscription(session)
  if (!subscription) return unassignedVerification(account)
  const tenant = textAt(subscription, 'tenantId')?.toLowerCase()
  const { tenantID } = principalOf(account)
  if (tenant !== undefined && tenant !== tenantID)
    return noAccess(`The subscription ${account.externalId} belongs to the tenant ${tenant}, not to ${tenantID}.`)
  const permissions = await permissionsOf(session)
  if (permissions?.length === 0) return unassignedVerification(account)
  const bills = billRead(account)
  const blobs = bills === blobRead ? await billState(session, account.billingExport!.location) : undefined
  const checks = wantedOf(bills).map(({ name, access }) => ({
    name,
    access,
    state: name === blobRead ? blobs! : stateOf(permissions, name),
  }))
  return withState(verdictOf(checks, rules), textAt(subscription, 'state') ?? 'Enabled')
}

function withState(found: Verification, state: string): Verification {
  if (state === 'Enabled' || found.verdict === 'none' || found.verdict === 'unknown') return found
  const locked = `The subscription is ${state}: Azure does not allow changes in it.`
  return { ...found, message: found.message === undefined ? locked : `${locked} ${found.message}` }
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
    const { account, container } = placeIn(location, session.hosts)
    const query = { restype: 'container', comp: 'list', maxresults: '1' }
    await session.raw({ host: { blobs: account }, path: `/${container}`, query, ...blobCall })
    return 'granted'
  } catch (error) {
    if (isCredentialsRefused(error) || !(error instanceof Fault)) throw error
    return permissionIn(error) === undefined ? 'unknown' : 'missing'
  }
}

const blobCall = { permission: blobRead, headers: { 'x-ms-version': '2023-11-03' } }

/** What is needed to read the account's bill; undefined if there is none. */
function billRead({ billingExport }: CloudAccount): typeof blobRead | typeof costRead | undefined {
  if (!billingExport) return undefined
  return scopeShape.test(billingExport.location) ? costRead : blobRead
}

/** Of the permissions for bills, only `bills`. */
const wantedOf = (bills: string | undefined): Pick<PermissionCheck, 'name' | 'access'>[] =>
  eachOnce(
    azurePermissions.flatMap(({ names: all, access, use }) =>
      all.filter((name) => use !== 'bills' || name === bills).map((name) => ({ name, access })),
    ),
  )

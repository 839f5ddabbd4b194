/** The hourly job that follows cloud organizations: lists their accounts, and connects, enables and disables them. */
import { credentialsSealed } from '#actors/account/connection/credentials.ts'
import { seenByCloud } from '#actors/account/connection/cloud.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { accountId } from '#streams/account/id.ts'
import { noticingRefusal } from '#actors/account/connection/refusal.ts'
import { verificationOf } from '#actors/account/connection/verification.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { accountVerified } from '#streams/account/messages.ts'
import { accountListed, organizationSynced, type CloudOrganization } from '#streams/account/organization.ts'
import type { CloudAccount as Seen } from '#streams/cloud/connector.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { refreshRequested } from '#streams/refresh.ts'
import { listOrganization, managerOf, planListing, type Manager } from './listing.ts'
import type { OrganizationPlan, PlannedAction } from './plan.ts'

type SyncTools = Pick<Tools, 'reads' | 'publisher' | 'cloudOf' | 'open' | 'seal' | 'now'>

/** Roles checked at once, and below in one run: the next run checks the rest. */
const checksAtOnce = 8
const checksMax = 500

type Row = Pick<
  CloudAccount,
  | 'id'
  | 'orgId'
  | 'provider'
  | 'externalId'
  | 'name'
  | 'regions'
  | 'credentials'
  | 'billingExport'
  | 'status'
  | 'membership'
  | 'organization'
  | 'organizationState'
  | 'lastVerifiedAt'
>

const accountsSql = `
  select id, org_id as "orgId", provider, external_id as "externalId", name, regions, credentials, billing_export as "billingExport",
    status, membership, organization, organization_state as "organizationState", last_verified_at as "lastVerifiedAt"
  from cloud_account where org_id = $1 order by id`

/** An organization that cannot be listed is tried again by the next run, and does not delay others. */
export const organizationSyncJob =
  (tools: SyncTools): JobWork =>
  async (_, call) => {
    const managers = (await tools.reads.rows<Row>(accountsSql, [call.orgId])).filter(isFollowed)
    for (const row of managers) {
      const listed = row.organizationState?.listed ?? 0
      try {
        const manager = managerOf(row, row.organization, tools)
        await syncOrganization(tools, manager, call)
      } catch (error) {
        call.signal.throwIfAborted()
        if (!(error instanceof Fault)) throw error
        await tellSynced(tools, row.id, call, { listed, message: error.message })
      }
    }
  }

const isFollowed = (row: Row): row is Row & { organization: CloudOrganization } =>
  row.organization !== null && row.status !== 'deleted' && row.status !== 'disabled'

async function syncOrganization(tools: SyncTools, manager: Manager, call: EffectCall): Promise<void> {
  const of = { orgId: call.orgId, cloudAccountId: manager.id, key: `${call.key}/${manager.id}/${call.attempt}` }
  const listing = await noticingRefusal(tools, of, () => listOrganization(manager, true, call.signal))
  // Read after the listing, which may take minutes.
  const known = await tools.reads.rows<Row>(accountsSql, [call.orgId])
  const plan = planListing(manager, listing, known)
  await mapConcurrently(plan.actions, 100, (one) => tellMember(tools, manager, one, call))
  await tellSynced(tools, manager.id, call, { listed: listing.accounts.length, message: listing.message ?? null })
  await checkMembers(tools, toCheck(tools, { manager, plan, known, orgId: call.orgId }), call)
}

/** Actions after which the role must be checked. */
const checkedActions: ReadonlySet<string> = new Set(['connect', 'enable', 'update'])

const idOf = ({ id, externalId }: PlannedAction, { account }: Manager, orgId: string): string =>
  id ?? accountId(orgId, account.provider, externalId)

async function tellMember(tools: SyncTools, manager: Manager, one: PlannedAction, call: EffectCall): Promise<void> {
  const { account, reader, roleName } = manager
  const { externalId, action, membership } = one
  const { orgId } = call
  const credentials = checkedActions.has(action)
    ? tools.seal(credentialsSealed, orgId, reader.credentialsFor(account, externalId, roleName))
    : null
  const id = idOf(one, manager, orgId)
  const { provider, regions } = account
  const data = { id, provider, externalId, action, credentials, regions: [...regions], membership }
  // A repeated run may decide differently about the account.
  await tools.publisher.report({
    subject: accountListed,
    orgId,
    data,
    id: `${call.key}/${call.attempt}/${id}/${action}`,
  })
}

async function tellSynced(
  { publisher, now }: SyncTools,
  id: string,
  { key, orgId, attempt }: EffectCall,
  state: { listed: number; message: string | null },
): Promise<void> {
  const data = { id, at: now().toISOString(), ...state }
  await publisher.publish({ subject: organizationSynced, orgId, data, id: `${key}/${attempt}/${id}/synced` })
}

interface Checking {
  manager: Manager
  plan: OrganizationPlan
  known: readonly Row[]
  orgId: string
}

/**
 * New accounts, and accounts whose role did not work yet, because a StackSet takes time. The one checked longest ago
 * comes first.
 */
function toCheck(tools: SyncTools, { manager, plan, known, orgId }: Checking): Seen[] {
  const { account, reader, roleName } = manager
  const planned = new Map(plan.actions.map((one) => [idOf(one, manager, orgId), one]))
  const fresh = [...planned].flatMap(([id, { externalId, action, membership }]): Seen[] => {
    if (!checkedActions.has(action)) return []
    const credentials = reader.credentialsFor(account, externalId, roleName)
    const { provider, regions } = account
    return [{ id, orgId, provider, externalId, name: membership.name, regions, credentials }]
  })
  const waiting = known
    .filter(({ id, membership, status }) => {
      const isOurs = membership?.isManaged && membership.managedBy === manager.id
      const isOther = !planned.has(id) || planned.get(id)!.action === 'note'
      return isOurs && isOther && (status === 'pending' || status === 'error')
    })
    .toSorted((one, other) => (one.lastVerifiedAt?.getTime() ?? 0) - (other.lastVerifiedAt?.getTime() ?? 0))
    .map((row) => seenByCloud(row, account.provider, tools))
  return [...fresh, ...waiting].slice(0, checksMax)
}

/** Checks the roles; one refresh then discovers all accounts whose role works. */
async function checkMembers(tools: SyncTools, accounts: readonly Seen[], call: EffectCall): Promise<void> {
  const { orgId } = call
  const good: Seen[] = []
  await mapConcurrently(accounts, checksAtOnce, async (account) => {
    call.signal.throwIfAborted()
    const { verdict, missingPermissions, message = null } = await verificationOf(account, tools)
    if (verdict === 'read_only' || verdict === 'read_write') good.push(account)
    const data = { id: account.id, verdict, missingPermissions: [...missingPermissions], message }
    await tools.publisher.report({
      subject: accountVerified,
      orgId,
      data,
      id: `${call.key}/${call.attempt}/${account.id}/verified`,
    })
  })
  if (good.length === 0) return
  const targets = good.map(({ id, provider }) => ({ cloudAccountId: id, provider }))
  const data = { refreshId: uuidOf('organization-sync', call.key, `${call.attempt}`), accounts: targets }
  await tools.publisher.publish({ subject: refreshRequested, orgId, data, id: `${call.key}/${call.attempt}/refresh` })
}

/**
 * Scheduled scans: full discovery of every account four times a day, and the states of resources that can be started
 * and stopped every 15 minutes.
 */
import { connectedAccounts } from '#actors/account/connection/cloud.ts'
import { noticingRefusal } from '#actors/account/connection/refusal.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { uuidOf } from '#engine/value/id.ts'
import { isOfCloud, type CloudAccount, type DiscoveredResource } from '#streams/cloud/connector.ts'
import { resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { refreshRequested } from '#streams/refresh.ts'
import { resourceDiscovered, type ResourceStatus } from '#streams/resource/messages.ts'

type ScanTools = Pick<Tools, 'reads' | 'publisher' | 'cloudOf' | 'open' | 'now'>

/** Without accounts fed by producers. */
async function findScannable(tools: ScanTools, orgId: string): Promise<CloudAccount[]> {
  const accounts = await connectedAccounts(tools, orgId)
  return accounts.filter((account) => tools.cloudOf(account).driver !== 'none')
}

/** Requests a refresh of all accounts; an account that is already being scanned is not scanned twice. */
export const discoveryJob =
  (tools: ScanTools): JobWork =>
  async ({ runId }, call) => {
    const accounts = (await findScannable(tools, call.orgId)).map(({ id, provider }) => ({
      cloudAccountId: id,
      provider,
    }))
    if (accounts.length === 0) return
    const refreshId = uuidOf('discovery', call.orgId, runId)
    await tools.publisher.publish({
      subject: refreshRequested,
      orgId: call.orgId,
      data: { refreshId, accounts },
      id: call.key,
    })
  }

const schedulable = (provider: string): ReadonlySet<string> =>
  new Set(resourceTypes.filter((one) => one.provider === provider && one.schedulable).map(({ type }) => type))

/**
 * Reports resources whose state, size or count differs from the inventory. Deletions and new resources are left to
 * discovery. An account whose cloud cannot be read now is scanned the next time, and does not delay others.
 */
export const statusScanJob =
  (tools: ScanTools): JobWork =>
  async (_, call) => {
    for (const account of await findScannable(tools, call.orgId)) {
      const of = { orgId: call.orgId, cloudAccountId: account.id, key: `${call.key}/${account.id}/${call.attempt}` }
      try {
        await noticingRefusal(tools, of, () => scanStates(tools, account, call))
      } catch (error) {
        if (!isOfCloud(error)) throw error
      }
      call.signal.throwIfAborted()
    }
  }

/**
 * Reports have the time of the scan's start: the result of an action that arrives during the scan is newer than the
 * page.
 */
async function scanStates(tools: ScanTools, account: CloudAccount, call: EffectCall): Promise<void> {
  const time = tools.now()
  const { pages } = tools.cloudOf(account).discover(account, call.signal, schedulable(account.provider))
  let told = 0
  for await (const page of pages) {
    const known = await statesOf(tools, account, page)
    const events = page
      .filter((found) => isOther(found, known.get(found.resourceUid)))
      .map((found) => ({
        subject: resourceDiscovered,
        orgId: account.orgId,
        data: { ...found, cloudAccountId: account.id },
        time,
      }))
    if (events.length > 0)
      await tools.publisher.publishTogether(`${call.key}/${account.id}/${call.attempt}/${told++}`, events)
    call.signal.throwIfAborted()
  }
}

interface State {
  uid: string
  status: ResourceStatus
  unitCount: number | null
  instanceType: string
}

async function statesOf(
  { reads }: ScanTools,
  { orgId, id }: CloudAccount,
  page: readonly DiscoveredResource[],
): Promise<ReadonlyMap<string, State>> {
  const rows = await reads.rows<State>(
    `select uid, observed_status as status, unit_count as "unitCount", instance_type as "instanceType" from resource
     where org_id = $1 and cloud_account_id = $2 and deleted_at is null and uid = any($3)`,
    [orgId, id, page.map(({ resourceUid }) => resourceUid)],
  )
  return new Map(rows.map((row) => [row.uid, row]))
}

/** A field that the cloud does not report counts as unchanged. */
const isOther = (found: DiscoveredResource, known: State | undefined): boolean =>
  known !== undefined &&
  ((found.status ?? known.status) !== known.status ||
    (found.unitCount ?? known.unitCount) !== known.unitCount ||
    (found.instanceType ?? known.instanceType) !== known.instanceType)

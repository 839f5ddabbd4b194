/** Scans one account: calls its connector and publishes what it finds, to the account's own lane. */
import { enabledAccount } from '#actors/account/connection/cloud.ts'
import { noticingRefusal } from '#actors/account/connection/refusal.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import type { Fault } from '#engine/value/fault.ts'
import type { Reads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Discovery } from '#streams/cloud/connector.ts'
import { refreshProgress } from '#streams/refresh.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { isLive } from './actor.ts'
import { discoverAccount, type DiscoverInput } from './effect.ts'
import type { RefreshStatus } from './entity.ts'
import { retries } from '#streams/retry.ts'

export type DiscoverTools = Pick<Tools, 'reads' | 'publisher' | 'cloudOf' | 'open' | 'now'>

/** Resources in one message. */
const pageMax = 200

export function discoverWork(tools: DiscoverTools): EffectWork {
  return {
    name: discoverAccount.name,
    pool: 'scan',
    retry: retries.discovery,
    run: (input, call) => {
      const { cloudAccountId } = input as DiscoverInput
      return noticingRefusal(tools, { ...call, cloudAccountId }, () => scan(tools, input as DiscoverInput, call))
    },
    failed: (input, call, fault) => gaveUp(tools, input as DiscoverInput, call, fault),
  }
}

type Progress = Omit<Static<typeof refreshProgress.schema>, 'refreshId' | 'cloudAccountId' | 'provider'>

/**
 * Findings have the time of the scan's start: pages are fetched ahead, and anything known of a later time counts more.
 */
async function scan(tools: DiscoverTools, input: DiscoverInput, call: EffectCall): Promise<void> {
  const { refreshId, scanId, cloudAccountId, rescan } = input
  if (!(await isWanted(tools.reads, call.orgId, refreshId))) return
  const account = await enabledAccount(tools, input, call.orgId)
  if (account === undefined)
    return tell(tools, input, call, { status: 'failed', discovered: 0, message: 'The account is disabled.' })
  await tell(tools, input, call, { status: 'running', discovered: 0 })
  const time = tools.now()
  const found = tools.cloudOf(account).discover(account, call.signal, rescan && new Set(rescan.types))
  let discovered = 0
  for await (const page of found.pages) {
    for (let i = 0; i < page.length; i += pageMax) {
      const events = page.slice(i, i + pageMax).map((resource) => ({
        subject: resourceDiscovered,
        orgId: call.orgId,
        data: { ...resource, cloudAccountId, refreshId: scanId },
        time,
      }))
      await tools.publisher.publishTogether(`${call.key}/${call.attempt}/${discovered + i}`, events)
    }
    discovered += page.length
    await tell(tools, input, call, { status: 'running', discovered })
    call.signal.throwIfAborted()
    if (await isGone(tools.reads, call.orgId, cloudAccountId))
      return tell(tools, input, call, { status: 'failed', discovered, message: 'The account was disconnected.' })
    // By now another refresh may be scanning the account.
    if (!(await isWanted(tools.reads, call.orgId, refreshId)))
      return tell(tools, input, call, {
        status: 'failed',
        discovered,
        message: 'The discovery was stopped because it made no progress.',
      })
  }
  await tell(tools, input, call, { status: 'completed', discovered, ...endOf(found) })
}

/** The members of a scan's last progress message that describe what it has covered. */
function endOf({ seen, missingPermissions = [], message, lostTypes = [] }: Discovery): Partial<Progress> {
  return {
    ...(seen !== 'everything' && (seen.length > 0 ? { seen: [...seen] } : { complete: false })),
    ...(missingPermissions.length > 0 && { missingPermissions: [...missingPermissions] }),
    ...(message !== undefined && { message }),
    ...(lostTypes.length > 0 && { lostTypes: [...lostTypes] }),
  }
}

async function gaveUp(tools: DiscoverTools, input: DiscoverInput, call: EffectCall, fault: Fault): Promise<void> {
  await tell(tools, input, call, { status: 'failed', discovered: 0, message: fault.message })
}

async function tell(tools: DiscoverTools, input: DiscoverInput, call: EffectCall, progress: Progress): Promise<void> {
  const { scanId, cloudAccountId, provider, rescan } = input
  await tools.publisher.publish({
    subject: refreshProgress,
    orgId: call.orgId,
    data: { refreshId: scanId, cloudAccountId, provider, ...progress, ...(rescan && { rescan }) },
    id: `${call.key}/${progress.status}/${progress.discovered}/${call.attempt}`,
  })
}

async function isGone(reads: Reads, orgId: string, cloudAccountId: string): Promise<boolean> {
  const rows = await reads.rows(
    `select from cloud_account where org_id = $1 and id = $2 and status in ('deleted', 'disabled')`,
    [orgId, cloudAccountId],
  )
  return rows.length > 0
}

/** False once the refresh was cancelled or has ended otherwise. */
async function isWanted(reads: Reads, orgId: string, refreshId: string): Promise<boolean> {
  const [row] = await reads.rows<{ status: RefreshStatus }>(
    'select status from refresh where org_id = $1 and refresh_id = $2',
    [orgId, refreshId],
  )
  return row !== undefined && isLive(row.status)
}

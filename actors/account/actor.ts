import { defineActor } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  accountBlinding,
  accountConnected,
  accountMetricsFailed,
  accountPatched,
  accountRefused,
  accountRemoved,
  accountRescanDue,
  accountResealed,
  accountVerified,
} from '#streams/account/messages.ts'
import { accountListed, organizationSynced } from '#streams/account/organization.ts'
import { billingDayClosed, billingExportChecked, billingExportEnded, billingLine } from '#streams/billing/messages.ts'
import { billLinesStored } from '#streams/billing/stored.ts'
import { accountBillsRemoved, billRemoved, loneLinesRemoved } from '#streams/billing/removal.ts'
import { billingSyncRequested } from '#streams/billing/sync.ts'
import { costProviderOf, isProvider, otherProvider, realName, type Provider } from '#streams/names.ts'
import { accountScanned, refreshProgress, refreshRequested, scanEnded } from '#streams/refresh.ts'
import { metricCollected } from '#streams/metric/messages.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { removeBill, removeBills } from '#actors/account/bill/removal.ts'
import { takeLine } from '#actors/account/bill/billing.ts'
import { noBills } from '#actors/account/bill/bills.ts'
import { beginAccount, followOrganization, isConnected, wantJobs } from '#actors/account/connection/connect.ts'
import { CloudAccount } from './entity.ts'
import { link } from '#actors/account/connection/link.ts'
import { takeMetrics, takeMetricsFailure } from '#actors/account/connection/metrics.ts'
import { removeLoneLinePage } from '#actors/account/bill/lone-lines.ts'
import { takeListed, takeSynced } from './organization/member.ts'
import { takeStored } from '#actors/account/export/export.ts'
import { endExport, settleExports } from '#actors/account/export/turnover.ts'
import { accountKey, accountNeeds, type AccountNeeds } from './needs.ts'
import { blind, blindOn, letInAgain, takeRefusal } from '#actors/account/connection/refusal.ts'
import { rescan, rescanLater } from '#actors/account/connection/rescan.ts'
import { takePermissions } from '#actors/account/connection/scan-permission.ts'

type Progress = Static<typeof refreshProgress.schema>

/**
 * One cloud account: its connection, its scans, and the lines of its bills. An account that nobody has connected is
 * created by the first event that names it.
 */
export const accountActor = defineActor({
  kind: 'account',
  entity: CloudAccount,
  address: { orgId: 'orgId', place: 'id', key: 'id' },
  initial: ({ key }) => ({
    name: key,
    provider: '',
    externalId: key,
    credentials: null,
    regions: [],
    status: 'pending' as const,
    permissionVerdict: 'unknown' as const,
    missingPermissions: [],
    billingExport: null,
    message: null,
    refusal: null,
    lastVerifiedAt: null,
    firstSyncDue: false,
    lastSyncedAt: null,
    refreshId: '',
    refreshStartedAt: null,
    endedRefreshId: '',
    billingClosedDay: null,
    bills: noBills(),
    oldThrough: '',
    organization: null,
    organizationState: null,
    membership: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  }),
  needs: accountNeeds,
  reactions: (on) => [
    on(
      billingLine,
      (data) => data.cloudAccountId,
      (account, data, turn) => {
        ensureAccount(account, takeLine(account, data, turn).x_Provider, turn)
      },
    ),
    on(billLinesStored, (data) => data.cloudAccountId, noteStored),
    on(
      billingDayClosed,
      (data) => data.cloudAccountId,
      (account, { date }, turn) => {
        ensureAccount(account, undefined, turn)
        if ((account.billingClosedDay ?? '') < date) account.billingClosedDay = date
      },
    ),
    on(
      billingExportEnded,
      (data) => data.cloudAccountId,
      (account, data, turn) => {
        ensureAccount(account, undefined, turn)
        endExport(account, data, turn)
      },
      { barrier: true },
    ),
    on(billingExportChecked, (data) => data.cloudAccountId, settle, { barrier: true }),
    on(billRemoved, (data) => data.cloudAccountId, removeBill, { barrier: true }),
    on(accountBillsRemoved, (data) => data.cloudAccountId, removeBills, { barrier: true }),
    on(loneLinesRemoved, (data) => data.cloudAccountId, removeLoneLinePage, { barrier: true, existing: true }),
    on(
      resourceDiscovered,
      (data) => data.cloudAccountId,
      (account, data, turn) => ensureAccount(account, data.provider, turn),
      { echo: 'nothing' },
    ),
    on(refreshProgress, (data) => data.cloudAccountId, takeProgress, { barrier: true }),
    on(
      scanEnded,
      (data) => data.cloudAccountId,
      (account, scan, turn) => {
        account.lastSyncedAt = new Date(scan.at)
        turn.emit(accountScanned, scan)
      },
    ),
    on(accountConnected, (data) => data.id, connect),
    on(accountPatched, (data) => data.id, patch),
    on(accountResealed, (data) => data.id, reseal),
    on(accountVerified, (data) => data.id, takeVerdict),
    on(accountRefused, (data) => data.id, takeRefusal, { existing: true }),
    on(accountBlinding, (data) => data.id, blindOn),
    on(accountRescanDue, (data) => data.id, rescan, { existing: true }),
    on(accountMetricsFailed, (data) => data.id, takeMetricsFailure, { existing: true }),
    on(metricCollected, (data) => data.cloudAccountId, takeMetrics, { existing: true }),
    on(accountRemoved, (data) => data.id, remove),
    on(accountListed, (data) => data.id, takeListed),
    on(organizationSynced, (data) => data.id, takeSynced, { existing: true }),
  ],
})

function noteStored(
  account: CloudAccount,
  data: Static<typeof billLinesStored.schema>,
  turn: Turn<AccountNeeds>,
): void {
  ensureAccount(account, data.provider, turn)
  takeStored(account, data, turn)
}

function settle(account: CloudAccount, _: unknown, turn: Turn<AccountNeeds>): void {
  settleExports(account, turn)
}

/** Creates the account if no person has connected it: the first event that names it is enough. */
function ensureAccount(account: CloudAccount, provider: string | undefined, turn: Turn<AccountNeeds>): void {
  const named = provider === undefined ? '' : costProviderOf(realName(provider))
  const isNamed = named !== '' && (account.provider === '' || (account.provider === otherProvider && isProvider(named)))
  if (isNamed) account.provider = named
  if (isNamed && account.createdAt.getTime() !== 0) link(account, turn)
  if (account.createdAt.getTime() !== 0) return
  account.createdAt = turn.now
  account.updatedAt = turn.now
  account.status = 'connected'
  link(account, turn)
  wantJobs(turn)
}

function takeProgress(account: CloudAccount, progress: Progress, turn: Turn<AccountNeeds>): void {
  const { refreshId, status } = progress
  if (account.endedRefreshId === refreshId) return
  ensureAccount(account, progress.provider, turn)
  if (status === 'running') {
    if (account.refreshId !== refreshId) {
      account.refreshId = refreshId
      account.refreshStartedAt = turn.message.time
    }
  } else endRefresh(account, progress, turn)
  report(progress, turn)
}

function endRefresh(account: CloudAccount, progress: Progress, turn: Turn<AccountNeeds>): void {
  const { refreshId, status } = progress
  account.endedRefreshId = refreshId
  const begun = account.refreshId === refreshId ? account.refreshStartedAt : null
  if (account.refreshId === refreshId) {
    account.refreshId = ''
    account.refreshStartedAt = null
  }
  const isSeen = status === 'completed' && progress.complete !== false
  // Also delete what arrived while the account was being removed.
  if (account.status === 'deleted') drop(turn)
  else if (isSeen) drop(turn, refreshId)
  if (isSeen && letInAgain(account, begun)) firstSync(account, turn)
  toldBy(account, progress)
  rescanLater(account, progress, turn)
  account.updatedAt = turn.now
}

/** Stores the message and the missing permissions that the end of a scan reports. */
function toldBy(account: CloudAccount, progress: Progress): void {
  const message = progress.message ?? (progress.status === 'failed' ? 'The scan failed.' : null)
  takePermissions(account, progress)
  // A rescan of some types does not know which permissions the whole scan lacked.
  if (progress.rescan && message === null && account.missingPermissions.length > 0) return
  // The message of an error stays until it is fixed.
  account.message = account.status === 'error' ? (account.message ?? message) : message
}

/** Reports a completed scan through the account's own lane, so that the report comes after the deletions it caused. */
function report(progress: Progress, turn: Turn<AccountNeeds>): void {
  const { refreshId, cloudAccountId, status, discovered, message } = progress
  const at = turn.now.toISOString()
  const scan = { refreshId, cloudAccountId, status, discovered, at, ...(message !== undefined && { message }) }
  turn.emit(status === 'completed' ? scanEnded : accountScanned, scan)
}

/**
 * Deletes the resources that the batch's needs found to be gone. With `refreshId` the deletions have the time of the
 * end of that scan, however late its end is processed. Resources seen at or after that time are kept, so a late repeat
 * of an old end deletes nothing that newer scans found.
 */
function drop(turn: Turn<AccountNeeds>, refreshId?: string): void {
  const { orgId, place: cloudAccountId } = turn.address
  const { time } = turn.message
  for (const { uid: resourceUid, provider, seenAt } of turn.needs.gone.get(accountKey(orgId, cloudAccountId)) ?? []) {
    const data = { resourceUid, provider: provider as Provider, cloudAccountId }
    if (refreshId === undefined) turn.emit(resourceDeleted, data)
    else if (!seenAt || seenAt < time) turn.emit(resourceDeleted, { ...data, refreshId }, time)
  }
}

function connect(account: CloudAccount, data: Static<typeof accountConnected.schema>, turn: Turn<AccountNeeds>): void {
  if (isConnected(account))
    throw Fault.conflict('already_exists', 'This provider account is already connected.', { id: account.id })
  beginAccount(account, data, turn)
  turn.reply({ id: account.id })
}

function remove(account: CloudAccount, _: unknown, turn: Turn<AccountNeeds>): void {
  mustExist(account)
  account.status = 'deleted'
  account.credentials = null
  account.organization = null
  account.updatedAt = turn.now
  link(account, turn)
  drop(turn)
  turn.reply({ id: account.id })
}

function patch(account: CloudAccount, data: Static<typeof accountPatched.schema>, turn: Turn<AccountNeeds>): void {
  mustExist(account)
  const { id: _, enabled, history, ...changes } = data
  Object.assign(account, changes)
  if (history) syncHistory(account, turn)
  // What the new credentials permit is not known yet.
  if (changes.credentials !== undefined && account.refusal)
    account.refusal = { at: turn.now.toISOString(), verdict: 'unknown' }
  if (enabled === false) {
    account.status = 'disabled'
    account.refusal = null
  }
  if (enabled === true && account.status === 'disabled') account.status = 'pending'
  // A person's choice is not undone by the organization.
  if (enabled !== undefined && account.membership) account.membership = { ...account.membership, isDisabled: false }
  refollow(account, changes, turn)
  account.updatedAt = turn.now
  turn.reply({ id: account.id })
}

type OrganizationPatch = Pick<Static<typeof accountPatched.schema>, 'organization' | 'credentials'>

/** Passes new credentials on to the members that share them. */
function refollow(
  account: CloudAccount,
  { organization, credentials }: OrganizationPatch,
  turn: Turn<AccountNeeds>,
): void {
  if (organization === null) account.organizationState = null
  if (account.organization && (organization || credentials)) followOrganization(turn)
}

function syncHistory(account: CloudAccount, turn: Turn<AccountNeeds>): void {
  const { id: cloudAccountId, provider, status } = account
  // An account that is not verified yet gets its first sync before its history.
  if (account.firstSyncDue || !isProvider(provider) || (status !== 'connected' && status !== 'degraded')) return
  turn.emit(billingSyncRequested, { cloudAccountId, provider, runId: turn.id(), check: false, history: true })
}

function reseal(account: CloudAccount, { was, sealed }: Static<typeof accountResealed.schema>): void {
  if (account.credentials === was) account.credentials = sealed
}

function takeVerdict(
  account: CloudAccount,
  data: Static<typeof accountVerified.schema>,
  turn: Turn<AccountNeeds>,
): void {
  mustExist(account)
  const { verdict, missingPermissions, message } = data
  const was = account.status
  const wasBlind = was === 'error' || account.permissionVerdict === 'none'
  // Without an answer from the cloud nothing is known about the credentials.
  if (verdict !== 'unknown') account.refusal = null
  account.permissionVerdict = verdict
  account.missingPermissions = missingPermissions
  account.message = message
  account.lastVerifiedAt = turn.now
  account.updatedAt = turn.now
  if (account.status !== 'disabled' && verdict !== 'unknown') account.status = statusOf(verdict, missingPermissions)
  if (account.status === 'pending' && data.isFed) account.status = 'connected'
  if (account.status === 'error' && was !== 'error') blind(account, '', turn)
  if (account.status === 'connected' || account.status === 'degraded') {
    firstSync(account, turn)
    if (wasBlind) lookAgain(account, turn)
  }
  turn.reply({ id: account.id })
}

/** Discovers the account again: until then its resources keep the state in which they were last seen. */
function lookAgain({ id: cloudAccountId, provider }: CloudAccount, turn: Turn<AccountNeeds>): void {
  if (isProvider(provider))
    turn.emit(refreshRequested, { refreshId: turn.id(), accounts: [{ cloudAccountId, provider }] })
}

/**
 * Requests the first sync of the bills at once, so that people soon see costs. The bills of an account fed by producers
 * are not synced before the night.
 */
function firstSync(account: CloudAccount, turn: Turn<AccountNeeds>): void {
  const { id: cloudAccountId, provider } = account
  if (!account.firstSyncDue || !isProvider(provider)) return
  account.firstSyncDue = false
  turn.emit(billingSyncRequested, { cloudAccountId, provider, runId: turn.id(), check: false })
}

function statusOf(verdict: CloudAccount['permissionVerdict'], missing: readonly string[]): CloudAccount['status'] {
  if (verdict === 'none') return 'error'
  return missing.length > 0 ? 'degraded' : 'connected'
}

/** @throws Fault `missing` if the account has never existed or was removed */
function mustExist(account: CloudAccount): void {
  if (!isConnected(account)) throw Fault.missing('cloud account', account.id)
}

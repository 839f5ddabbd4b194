/** How a refresh starts, handles the progress of its scans, and ends. */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { refreshMoved } from '#streams/live/messages.ts'
import { providers, type Provider } from '#streams/names.ts'
import { refreshStalled, type accountScanned, type refreshRequested } from '#streams/refresh.ts'
import { tagRunWanted } from '#streams/tagging.ts'
import { discoverAccount } from './effect.ts'
import type { Refresh, RefreshState, Scan } from './entity.ts'

/** Milliseconds without progress after which a refresh fails. */
const stalledMs = 10 * 60_000

type RefreshRequest = Static<typeof refreshRequested.schema>

const scansOf = ({ refreshId, accounts }: RefreshRequest): Scan[] =>
  accounts.map((account) => ({ ...account, scanId: refreshId, status: 'waiting', discovered: 0 }))

export function begin(refresh: Refresh, request: RefreshRequest, turn: Turn): void {
  const { refreshId } = request
  Object.assign(refresh, {
    refreshId,
    scans: scansOf(request),
    status: 'queued',
    discovered: 0,
    completedAt: null,
  })
  refresh.startedAt = turn.now
  turn.reply({ refreshID: refreshId, status: 'queued' })
  goOn(refresh, turn.now, turn)
}

/**
 * Accounts that are not being scanned join the live refresh; if all are, the request is skipped. A rescan of some types
 * does not count as a scan of the account.
 */
export function join(refresh: Refresh, request: RefreshRequest, turn: Turn): void {
  const live = refresh.scans.filter(({ status }) => status === 'waiting' || status === 'running')
  const isCovered = ({ cloudAccountId, rescan }: Scan) =>
    live.some((scan) => scan.cloudAccountId === cloudAccountId && (!scan.rescan || rescan !== undefined))
  const free = scansOf(request).filter((scan) => !isCovered(scan))
  if (free.length === 0) return skip(refresh, request, turn)
  const all = new Map(refresh.scans.map((scan) => [scan.cloudAccountId, scan]))
  for (const scan of free) {
    const { discovered } = all.get(scan.cloudAccountId) ?? {}
    const joining = discovered === undefined ? { scanId: refresh.refreshId } : { scanId: turn.id(), discovered }
    all.set(scan.cloudAccountId, { ...scan, ...joining })
  }
  refresh.scans = [...all.values()]
  turn.reply({ refreshID: refresh.refreshId, status: 'queued' })
  goOn(refresh, turn.now, turn)
}

export function skip(refresh: Refresh, { refreshId }: RefreshRequest, turn: Turn): void {
  refresh.skippedId = refreshId
  refresh.skippedAt = turn.now
  turn.reply({ refreshID: refreshId, status: 'queued' })
}

export function takeScan(refresh: Refresh, seen: Static<typeof accountScanned.schema>, turn: Turn): void {
  const scan = refresh.scans.find(
    (s) => s.cloudAccountId === seen.cloudAccountId && s.scanId === seen.refreshId && s.status === 'running',
  )
  if (scan === undefined) return
  if (refresh.status === 'queued') refresh.status = 'running'
  scan.status = seen.status
  scan.discovered = Math.max(scan.discovered, seen.discovered)
  refresh.discovered = refresh.scans.reduce((sum, { discovered }) => sum + discovered, 0)
  goOn(refresh, new Date(seen.at), turn)
}

/** A queued refresh is cancelled at once, a running one after the current provider. */
export function cancel(refresh: Refresh, _: object, turn: Turn): void {
  const isQueued = refresh.status === 'queued'
  for (const scan of refresh.scans) if (isQueued || scan.status === 'waiting') scan.status = 'cancelled'
  refresh.status = 'canceling'
  goOn(refresh, turn.now, turn)
  turn.reply({ id: refresh.refreshId, status: refresh.status })
}

/** @throws Fault `conflict` `invalid_transition` */
export function refuseCancel(): void {
  throw Fault.conflict('invalid_transition', 'No discovery is queued or running.')
}

export function stall(refresh: Refresh, { refreshId }: Static<typeof refreshStalled.schema>, turn: Turn): void {
  if (refresh.refreshId === refreshId) finish(refresh, 'failed', turn.now, turn)
}

/** Starts the scans of the next provider, or ends the refresh if none are left. `at`: when the last scan ended. */
function goOn(refresh: Refresh, at: Date, turn: Turn): void {
  const active = refresh.scans.find(({ status }) => status === 'running')?.provider ?? next(refresh.scans)
  for (const scan of refresh.scans) {
    if (scan.status !== 'waiting' || scan.provider !== active) continue
    const { scanId, cloudAccountId, provider, rescan } = scan
    scan.status = 'running'
    turn.call(discoverAccount, `discover/${turn.address.orgId}/${scanId}/${cloudAccountId}`, {
      refreshId: refresh.refreshId,
      scanId,
      cloudAccountId,
      provider,
      ...(rescan && { rescan }),
    })
  }
  if (active === undefined) return finish(refresh, outcome(refresh), at, turn)
  tell(refresh, turn)
  turn.remind('stalled', new Date(turn.now.getTime() + stalledMs), refreshStalled, { refreshId: refresh.refreshId })
}

/** The first provider with waiting accounts, in the order of `providers`. */
const next = (scans: readonly Scan[]): Provider | undefined =>
  providers.find((provider) => scans.some((scan) => scan.status === 'waiting' && scan.provider === provider))

function outcome({ status, scans }: Refresh): RefreshState {
  if (status === 'canceling') return 'cancelled'
  const failed = scans.filter((scan) => scan.status === 'failed').length
  if (failed === 0) return 'completed'
  return failed === scans.length ? 'failed' : 'partial'
}

function finish(refresh: Refresh, status: RefreshState, at: Date, turn: Turn): void {
  refresh.status = status
  refresh.completedAt = new Date(Math.max(at.getTime(), refresh.startedAt?.getTime() ?? 0))
  turn.forget('stalled')
  tell(refresh, turn)
  // New resources may reveal more about their neighbours, and policies may have changed.
  if (status === 'completed' || status === 'partial')
    turn.emit(tagRunWanted, { runId: turn.id(), wanted: { kind: 'sweep', whole: false } })
}

function tell({ refreshId: refreshID, status, discovered, startedAt, completedAt }: Refresh, turn: Turn): void {
  const times = { startedAt: startedAt?.toISOString() ?? null, completedAt: completedAt?.toISOString() ?? null }
  turn.tell(refreshMoved, { refreshID, status, discovered, ...times })
}

/** The states of bill uploads. The one writer of BillUpload. */
import { toldDays, type DayChoice } from '#actors/account/export/own-days.ts'
import { LockMode, type EntityManager } from '@mikro-orm/postgresql'
import { endsOf } from '#actors/account/export/bill-export.ts'
import { noBills } from '#actors/account/bill/bills.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import { BillUpload, type UploadState, type UploadPeriod } from '#actors/billing/upload-entity.ts'
import {
  endedAs,
  isUntold,
  replacements,
  storedPeriods,
  type UploadEnd,
  type AccountBills,
} from '#actors/billing/upload-preview.ts'
import type { UploadGiven, UploadReading } from '#actors/billing/upload-read.ts'
import type { BillTools, Lanes } from '#actors/billing/upload-tools.ts'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { tell, tellRow, type RecordChange } from '#engine/run/tell.ts'
import { billingExportEnded } from '#streams/billing/messages.ts'

/** Maximum uploads of an organization that are read at the same time. */
const uploadsMax = 4
/** Milliseconds for which an upload is kept. */
const keptMs = 30 * dayMs
/**
 * The process that reads the files reports progress each second; after so many milliseconds without a report it is
 * considered dead.
 */
const silentMs = 60_000

type At = Pick<BillUpload, 'orgId' | 'id'>

/** The state that people see: an upload that is no longer being read is broken. */
export function stateOf({ state, heardAt }: BillUpload, now: Date): UploadState {
  return state === 'reading' && now.getTime() - heardAt.getTime() > silentMs ? 'broken' : state
}

/** @throws Fault `too_many_uploads` */
export async function beginUpload({ em, orgId, now }: RecordChange, given: UploadGiven): Promise<BillUpload> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`bill_upload ${orgId}`])
  const at = now()
  const heardAt = { $gte: new Date(at.getTime() - silentMs) }
  const running = await em.count(BillUpload, { orgId, state: 'reading', heardAt })
  if (running >= uploadsMax)
    throw Fault.invalid('too_many_uploads', `${uploadsMax} uploads of this organization are already being read.`, {
      retryAfter: 10,
    })
  const { id, cloudAccountId, exportedAt } = given
  const lists = { files: [], reasons: [], warnings: [], periods: [], lanes: [], outcome: [] }
  const nothing = { ...lists, rows: 0, accepted: 0, refused: 0, rounded: 0, billed: {}, generation: null }
  const dates = { createdAt: at, heardAt: at, appliedAt: null, expiresAt: new Date(at.getTime() + keptMs) }
  const fixed = { state: 'reading', message: null, confirmed: false } as const
  const made = em.create(BillUpload, { orgId, id, cloudAccountId, exportedAt, ...fixed, ...nothing, ...dates })
  await em.persist(made).flush()
  return made
}

type Report = ReturnType<UploadReading['report']>

/** Records how far the files have been read. False if the upload was discarded. */
export async function noteProgress(em: EntityManager, at: At, report: Report, now: Date): Promise<boolean> {
  return (await em.nativeUpdate(BillUpload, { ...at, state: 'reading' }, { ...report, heardAt: now })) === 1
}

/** Call when all lines are durable. @throws Fault `conflict` `upload_discarded` */
export async function endReading(em: EntityManager, at: At, report: Report, lanes: Lanes, now: Date): Promise<void> {
  const ended = { ...report, lanes: [...lanes], state: 'storing' as const, heardAt: now }
  if ((await em.nativeUpdate(BillUpload, { ...at, state: 'reading' }, ended)) !== 1) throw wasDiscarded()
}

export const wasDiscarded = (): Fault => Fault.conflict('upload_discarded', 'The upload was discarded.')

/** Lines that have been sent never count. */
export async function breakUpload(em: EntityManager, at: At, message: string, report?: Report): Promise<void> {
  const where = { ...at, state: { $in: ['reading', 'storing'] as const } }
  await em.nativeUpdate(BillUpload, where as never, { ...report, state: 'broken', message: message.slice(0, 1000) })
}

/** The bills of its account; empty if the account is not known yet. */
export async function keptOf(em: EntityManager, { orgId, cloudAccountId }: BillUpload): Promise<AccountBills> {
  const account = await em.findOne(CloudAccount, { orgId, id: cloudAccountId }, { refresh: true })
  return account ?? { bills: noBills(), oldThrough: '' }
}

type MoveTools = Pick<BillTools, 'hasRead' | 'isSummed' | 'generation' | 'count' | 'endsAfter' | 'deadLettered'>

/**
 * Advances an upload as far as possible: once its lines, or its end, have been processed. Returns the row as it is
 * then.
 */
export async function moveOn(em: EntityManager, upload: BillUpload, tools: MoveTools, waitMs = 0): Promise<BillUpload> {
  const { orgId, id, state } = upload
  const change = state === 'storing' ? await finishStoring(em, upload, tools, waitMs) : await endOf(em, upload, tools)
  if (!change) return upload
  await em.nativeUpdate(BillUpload, { orgId, id, state }, change)
  return (await em.findOne(BillUpload, { orgId, id }, { refresh: true })) ?? upload
}

type UploadChange = Partial<BillUpload> | undefined

async function finishStoring(
  em: EntityManager,
  upload: BillUpload,
  tools: MoveTools,
  waitMs: number,
): Promise<UploadChange> {
  if (!(await tools.hasRead(new Map(upload.lanes), waitMs))) return undefined
  const periods = await storedPeriods(upload, await keptOf(em, upload), tools)
  return periods ? { state: 'ready', periods } : { state: 'broken', message: setAside }
}

/** An applied upload may leave `broken` if its dead letter is replayed. */
const isApplied = ({ state, appliedAt }: BillUpload): boolean =>
  ['applying', 'held', 'incomplete'].includes(state) || (state === 'broken' && appliedAt !== null)

async function endOf(em: EntityManager, upload: BillUpload, tools: MoveTools): Promise<UploadChange> {
  if (!isApplied(upload)) return undefined
  const ended = endedAs(upload, await keptOf(em, upload))
  if (!ended) return upload.state === 'applying' ? untold(em, upload, tools) : undefined
  return ended.state === upload.state ? undefined : shownAs(ended, upload, tools)
}

/**
 * The outcome of an upload that its account does not report. Once its end is published and everything written up to
 * then is processed, no report can come any more: the end was dead-lettered, or the account has forgotten the export.
 * Undefined until then.
 */
async function untold(em: EntityManager, upload: BillUpload, tools: MoveTools): Promise<UploadChange> {
  const ids = endIds(upload)
  if (upload.lanes.length === 0) {
    const lanes = await tools.endsAfter(ids)
    return lanes && { lanes: [...lanes] }
  }
  if (!(await tools.hasRead(new Map(upload.lanes), 0))) return undefined
  const kept = await keptOf(em, upload)
  if (endedAs(upload, kept) || !isUntold(upload, kept)) return undefined
  const reason = await tools.deadLettered(ids)
  const message = reason === undefined ? forgotten : `Applying it was dead-lettered: ${reason}`.slice(0, 1000)
  const isOpen = kept.bills.open.some(({ id }) => id === upload.id)
  return isOpen ? { state: 'held', confirmed: false, message } : { state: 'broken', message }
}

const forgotten =
  'The account has no record of this upload. It was disconnected, or its bills were removed, before the result was known.'

/** Ids of the messages that apply it. */
function endIds({ orgId, id, cloudAccountId, exportedAt, periods, confirmed }: BillUpload): string[] {
  const ends = endsOf({ id, at: exportedAt.toISOString() }, cloudAccountId, periods, { confirmed, someDays: false })
  return ends.map((_, n) => endId({ orgId, id }, n, confirmed))
}

const endId = ({ orgId, id }: At, n: number, isConfirmed: boolean): string =>
  uuidOf('bill upload', orgId, id, String(n), String(isConfirmed))

/**
 * The outcome `replaced` is given only once reports show it. If lines of the account keep arriving, some of its days
 * always wait to be recomputed.
 */
async function shownAs(
  ended: UploadEnd,
  { cloudAccountId, generation }: BillUpload,
  tools: MoveTools,
): Promise<UploadChange> {
  const isShown = ended.state !== 'replaced' || (await tools.isSummed(cloudAccountId, generation ?? undefined))
  if (isShown) return { ...ended, message: null }
  return generation === null ? { generation: await tools.generation() } : undefined
}

const setAside = 'Some lines were dead-lettered. See the dead letters for the reasons.'

/** @throws Fault `missing` */
export async function foundUpload(em: EntityManager, orgId: string, id: string, now: Date): Promise<BillUpload> {
  const found = await em.findOne(BillUpload, { orgId, id, expiresAt: { $gt: now } }, { refresh: true })
  if (!found) throw Fault.missing('bill upload', id)
  return found
}

/** Locks the upload for this transaction. @throws Fault `missing` */
export async function lockedUpload({ em, orgId, now }: RecordChange, id: string): Promise<BillUpload> {
  const how = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const found = await em.findOne(BillUpload, { orgId, id, expiresAt: { $gt: now() } }, how)
  if (!found) throw Fault.missing('bill upload', id)
  return found
}

/**
 * Sends the end of an upload in the transaction of the change. An applied upload stays unchanged, unless it is held and
 * now confirmed.
 * @throws Fault `conflict` if it cannot be applied, or must be confirmed
 */
export async function applyUpload(
  change: RecordChange,
  upload: BillUpload,
  isConfirmed: boolean,
  days: DayChoice | undefined,
  tools: Pick<BillTools, 'count' | 'countOld' | 'repeated'>,
): Promise<void> {
  const { em, orgId, now } = change
  const { state } = upload
  if (state === 'applying' || state === 'replaced' || state === 'over') return
  if (state === 'held' && !isConfirmed) throw lessThanHalf()
  upload.periods = upload.periods.map((one) => withDays(one, days))
  if (state !== 'held') await readyUpload(upload, await keptOf(em, upload), { isConfirmed, days }, tools)
  const someDays = upload.periods.some((one) => one.someDays)
  const one = { id: upload.id, at: upload.exportedAt.toISOString() }
  const time = now()
  for (const [n, data] of endsOf(one, upload.cloudAccountId, upload.periods, {
    confirmed: isConfirmed,
    someDays,
  }).entries()) {
    const id = endId(upload, n, isConfirmed)
    await tell(em, tellRow(billingExportEnded, orgId, data, { id, time }))
  }
  Object.assign(upload, { state: 'applying', appliedAt: time, confirmed: isConfirmed, ...noOutcome })
}

const noOutcome = { lanes: [], generation: null, message: null }

/** Stores what it replaces as of now. @throws as `applyUpload` */
async function readyUpload(
  upload: BillUpload,
  kept: AccountBills,
  { isConfirmed, days }: { isConfirmed: boolean; days: DayChoice | undefined },
  tools: Pick<BillTools, 'count' | 'countOld' | 'repeated'>,
): Promise<void> {
  const refusal = refusals[upload.state]
  if (refusal) throw Fault.conflict(...refusal)
  if (upload.periods.length === 0)
    throw Fault.conflict('upload_empty', 'The upload has no valid row, so there is no bill to apply.')
  const found = await replacements(upload, kept, tools)
  upload.periods = upload.periods.map((one) => ({ ...one, replacement: found.get(one.period)! }))
  const reasons = isConfirmed ? [] : confirmations(upload)
  const [needed] = days === undefined ? reasons : reasons.filter((reason) => reason !== 'days_lost')
  if (needed === 'less_than_half') throw lessThanHalf(reasons.includes('days_lost') ? upload : undefined)
  if (needed === 'days_lost') throw daysAreLost(upload)
  if (needed === 'other_account')
    throw Fault.conflict(
      'bill_of_other_account',
      'Another account already has a bill with most of these account IDs for the same billing period. Confirm to count both.',
    )
  if (needed === 'rows_refused')
    throw Fault.conflict(
      'bill_rows_refused',
      `${upload.refused} rows were rejected, so this bill is incomplete, and the current bill is complete. Confirm to replace it.`,
    )
}

/** The person's choice wins over what its lines say. */
function withDays({ someDays, ...one }: UploadPeriod, days: DayChoice | undefined): UploadPeriod {
  const isOwn = days === 'own' || (days === undefined && someDays === true)
  return isOwn ? { ...one, someDays: true } : one
}

const daysAreLost = (upload: BillUpload): Fault => Fault.conflict('bill_days_lost', toldLost(upload))

function toldLost({ periods }: BillUpload): string {
  const lost = periods.flatMap(({ replacement }) => replacement!.daysLost ?? [])
  return `The upload has no lines for ${toldDays(lost)}, and the current bill does. Set days to "own" to replace only the days in the upload, or to "whole" to leave those days empty.`
}

/** `losing`: an upload without lines for days that now have lines. */
const lessThanHalf = (losing?: BillUpload): Fault =>
  Fault.conflict(
    'bill_less_than_half',
    `The upload is less than half of the bill it would replace. Confirm to replace it.${losing ? ` ${toldLost(losing)}` : ''}`,
  )

const refusals: Readonly<Partial<Record<UploadState, [code: string, message: string]>>> = {
  reading: ['upload_not_read', 'The files are still being uploaded.'],
  storing: ['upload_not_read', 'The lines are still being read. Try again in a moment.'],
  incomplete: ['upload_incomplete', 'Lines of the upload are missing. Upload the files again.'],
  broken: ['upload_broken', 'The upload could not be read to the end. Upload the files again.'],
  discarded: ['upload_discarded', 'The upload was discarded.'],
}

export const confirmable = ['rows_refused', 'less_than_half', 'other_account', 'days_lost'] as const

/** Reasons for which applying needs a confirmation. The periods must have their `replacement`. */
export function confirmations({ refused, periods }: Pick<BillUpload, 'refused' | 'periods'>) {
  const all = periods.flatMap(({ replacement }) => (replacement?.replaces ? [replacement] : []))
  const reasons: (typeof confirmable)[number][] = []
  if (refused > 0 && all.some(({ standing }) => standing!.whole)) reasons.push('rows_refused')
  if (all.some((one) => one.lessThanHalf)) reasons.push('less_than_half')
  if (periods.some(({ replacement }) => replacement?.repeats)) reasons.push('other_account')
  if (all.some((one) => (one.daysLost ?? []).length > 0)) reasons.push('days_lost')
  return reasons
}

/** Discards an upload that was not applied: its lines never count. @throws Fault `conflict` `upload_applied` */
export function discardUpload(upload: BillUpload): void {
  const { state, appliedAt } = upload
  const isApplied = state === 'broken' && appliedAt !== null
  if (isApplied || !['reading', 'storing', 'ready', 'broken', 'discarded'].includes(state))
    throw Fault.conflict(
      'upload_applied',
      'The upload was already applied. To undo it, upload a newer bill, or have an admin remove it (DELETE /billing/exports/{exportID}).',
    )
  upload.state = 'discarded'
}

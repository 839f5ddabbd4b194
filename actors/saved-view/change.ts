/**
 * Changes of saved views and of their mail schedules. The one writer of SavedView; ReportSchedule is also written by
 * sending.ts.
 */
import { randomUUID } from 'node:crypto'
import { LockMode, type EntityManager } from '@mikro-orm/postgresql'
import { nextReport, type ReportTimes } from '#actors/saved-view/next-report.ts'
import { dropFromDashboards } from '#actors/saved-view/dashboard/change.ts'
import { ReportSchedule, SavedView, type ReportRecipient } from '#actors/saved-view/entity.ts'
import { flushUnique, holderOf, inTurn, type Sharing } from '#actors/saved-view/sharing.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid, uuidOf } from '#engine/value/id.ts'
import { tell, tellRow, type RecordChange } from '#engine/run/tell.ts'
import { isZone } from '#streams/cron/messages.ts'
import { jobWanted } from '#streams/job.ts'
import { addressMark } from '#streams/notification/link.ts'
import { checkedName } from '#streams/text.ts'

/** Maximum for one person in an organization. */
export const viewsMax = 200
/** Maximum for one person in an organization. */
export const schedulesMax = 50

export interface ViewGiven {
  name?: string
  view?: string
  query?: string
  shared?: Sharing
}

/** @throws Fault `missing`, also for another person's private view */
export async function foundView(em: EntityManager, orgId: string, id: string, userId: string): Promise<SavedView> {
  const seen = { orgId, id, holder: { $in: ['', userId] } }
  const view = isUuid(id) ? await em.findOne(SavedView, seen, { refresh: true }) : null
  if (!view) throw Fault.missing('saved view', id)
  return view
}

/** @throws Fault `refused` `too_many_saved_views`, `conflict` `already_exists` if the name is taken */
export async function makeView(change: RecordChange, ownerId: string, given: Required<ViewGiven>): Promise<SavedView> {
  const { em, orgId, now } = change
  await inTurn(change, ownerId)
  if ((await em.count(SavedView, { orgId, ownerId })) >= viewsMax)
    throw Fault.refused('too_many_saved_views', `A person can have at most ${viewsMax} saved views in an organization.`)
  const { name, shared, view, query } = given
  const at = now()
  const made = em.create(SavedView, {
    orgId,
    id: randomUUID(),
    ownerId,
    holder: holderOf(shared, ownerId),
    name: checkedName(name),
    view,
    query,
    createdAt: at,
    updatedAt: at,
  })
  await flushUnique(em.persist(made), 'saved view')
  return made
}

/** Missing members stay unchanged. @throws Fault `conflict` `already_exists` if the name is taken */
export async function editView({ em, now }: RecordChange, view: SavedView, given: ViewGiven): Promise<void> {
  const { name, shared, ...plain } = given
  Object.assign(view, plain)
  if (name !== undefined) view.name = checkedName(name)
  if (shared !== undefined) view.holder = holderOf(shared, view.ownerId)
  view.updatedAt = now()
  await flushUnique(em, 'saved view')
}

/** Also deletes its schedules, and takes it off dashboards. */
export async function removeView(change: RecordChange, view: SavedView): Promise<void> {
  const { em, orgId } = change
  await em.nativeDelete(ReportSchedule, { orgId, subjectId: view.id })
  await dropFromDashboards(change, view.id)
  em.remove(view)
}

export interface ScheduleGiven extends Partial<ReportTimes> {
  recipients?: ReportRecipient[]
  isOn?: boolean
}

/** @throws Fault `invalid` for an unknown time zone */
function apply(schedule: ReportSchedule, given: ScheduleGiven, at: Date): void {
  if (given.timezone !== undefined && !isZone(given.timezone))
    throw Fault.invalidAt({ path: '/timezone', code: 'format', message: 'is not an IANA time zone' })
  Object.assign(schedule, given)
  if (schedule.every === 'week') schedule.day = 1
  else schedule.weekday = 1
  schedule.nextDueAt = schedule.isOn ? nextReport(schedule, at) : null
  schedule.updatedAt = at
}

/** @throws Fault `refused` `too_many_report_schedules`, `invalid` for an unknown time zone */
export async function makeSchedule(
  change: RecordChange,
  { subjectId, ownerId }: { subjectId: string; ownerId: string },
  given: ReportTimes & Required<Pick<ScheduleGiven, 'recipients' | 'isOn'>>,
): Promise<ReportSchedule> {
  const { em, orgId, now } = change
  await inTurn(change, ownerId)
  if ((await em.count(ReportSchedule, { orgId, ownerId })) >= schedulesMax)
    throw Fault.refused(
      'too_many_report_schedules',
      `A person can have at most ${schedulesMax} scheduled reports in an organization.`,
    )
  const at = now()
  const made = em.create(ReportSchedule, {
    orgId,
    id: randomUUID(),
    subjectId,
    ownerId,
    ...given,
    unsubscribed: [],
    nextDueAt: null,
    last: null,
    createdAt: at,
    updatedAt: at,
  })
  apply(made, given, at)
  await em.persist(made).flush()
  await beginMailing(em, orgId, made.id, at)
  return made
}

/** Creates the mailing job, since organizations without an account have no jobs yet. A repeat changes nothing. */
const beginMailing = (em: EntityManager, orgId: string, id: string, time: Date): Promise<void> =>
  tell(em, tellRow(jobWanted, orgId, { job: 'report-mailing' }, { id: uuidOf('report-mailing', orgId, id), time }))

/**
 * Missing members stay unchanged; the next due time follows from the result.
 * @throws Fault `invalid` for an unknown time zone
 */
export async function editSchedule(
  { em, now }: RecordChange,
  schedule: ReportSchedule,
  given: ScheduleGiven,
): Promise<void> {
  apply(schedule, given, now())
  await em.flush()
}

export async function removeSchedule({ em }: RecordChange, schedule: ReportSchedule): Promise<void> {
  em.remove(schedule)
}

/** Unsubscribes the recipient that `mark` stands for. False if there is none, or it was unsubscribed already. */
export async function silenceReport({ em, orgId, now }: RecordChange, id: string, mark: string): Promise<boolean> {
  const schedule = await em.findOne(
    ReportSchedule,
    { orgId, id },
    { refresh: true, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  const email = schedule?.recipients.find((one) => addressMark(one.email) === mark)?.email
  if (!schedule || email === undefined || schedule.unsubscribed.includes(email)) return false
  schedule.unsubscribed = [...schedule.unsubscribed, email]
  schedule.updatedAt = now()
  return true
}

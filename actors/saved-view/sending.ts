/**
 * Mails saved views and dashboards when they are due. The report is computed first; its mails and the next due time are then stored in
 * one transaction, so each recipient gets one mail per due time even if a process is killed.
 */
import { LockMode, type EntityManager } from '@mikro-orm/postgresql'
import { mailName, mailSealed } from '#actors/notification/mail.ts'
import { viewsOf } from '#actors/saved-view/dashboard/change.ts'
import { Dashboard } from '#actors/saved-view/dashboard/entity.ts'
import { nextReport } from '#actors/saved-view/next-report.ts'
import {
  ReportSchedule,
  SavedView,
  type LastReport,
  type MailState,
  type ReportRecipient,
} from '#actors/saved-view/entity.ts'
import type { ReportMade, ReportMail, ReportSubject } from '#streams/delivery/report.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { tell } from '#engine/run/tell.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { addressMark, linkToken } from '#streams/notification/link.ts'
import { retries } from '#streams/retry.ts'

const reportMailName = 'report-mail'

type SendingTools = Pick<
  Tools,
  'em' | 'reads' | 'now' | 'seal' | 'report' | 'savedReport' | 'publicUrl' | 'linkSecrets'
>

/**
 * Mails what is due. A report that cannot be computed does not delay others; if a store does not answer, the job is
 * retried.
 */
export function mailReports(tools: SendingTools): JobWork {
  return async (_run, { orgId }) => {
    const due = { orgId, isOn: true, nextDueAt: { $lte: tools.now() } }
    const schedules = await tools.em().find(ReportSchedule, due, { orderBy: { nextDueAt: 'asc', id: 'asc' } })
    let unanswered: Fault | undefined
    for (const schedule of schedules) {
      try {
        await mailOne(schedule, tools)
      } catch (error) {
        unanswered ??= Fault.from(error)
        tools.report.warn({ schedule: schedule.id, err: error }, 'a scheduled report could not be created yet')
      }
    }
    if (unanswered) throw unanswered
  }
}

/** @throws Fault `transient` or `defect` */
async function mailOne(schedule: ReportSchedule, tools: SendingTools): Promise<void> {
  const { orgId, ownerId } = schedule
  const subject = await subjectOf(schedule, tools)
  const made = subject?.report ? await reportOf(schedule, subject.report, tools) : unsharedRefusal
  const members = await membersOf(orgId, schedule.recipients, tools)
  const owner = await addressOf(ownerId, tools)
  await tools.em().transactional(async (em) => {
    const due = schedule.nextDueAt!
    const now = await lockSchedule(em, schedule)
    // Another run has handled it, or a person has changed it since.
    if (!now?.isOn || now.nextDueAt?.getTime() !== due.getTime()) return
    const at = tools.now()
    now.last = { dueAt: due.toISOString(), at: at.toISOString(), reason: '', mails: [] }
    if ('refused' in made) return refuse(em, now, { name: subject?.name ?? '', why: made.refused, owner }, tools)
    now.nextDueAt = nextReport(now, at)
    now.last.mails = now.recipients.map((one) => ({ email: one.email, state: stateOf(one, now, members), message: '' }))
    if ('failed' in made) {
      now.last.reason = made.failed
      now.last.mails = []
    } else
      for (const { email, state } of now.last.mails)
        if (state === 'waiting') await handOver(em, now, email, made, tools)
  })
}

const unsharedRefusal = {
  refused: 'What it shows is no longer shared with the owner of this scheduled report.',
} as const

/** What is mailed; without a report if the owner can no longer see it. */
async function subjectOf(
  { orgId, subjectId: id, ownerId }: ReportSchedule,
  tools: SendingTools,
): Promise<{ name: string; report: ReportSubject | undefined } | undefined> {
  const em = tools.em()
  const isSeen = ({ holder }: { holder: string }) => holder === '' || holder === ownerId
  const view = await em.findOne(SavedView, { orgId, id })
  if (view) return { name: view.name, report: isSeen(view) ? view : undefined }
  const dashboard = await em.findOne(Dashboard, { orgId, id })
  if (!dashboard) return undefined
  const { name } = dashboard
  return { name, report: isSeen(dashboard) ? { name, id, views: await viewsOf(em, dashboard, ownerId) } : undefined }
}

/** An error in the report itself is not retried: it is recorded, and the report is due the next time. */
async function reportOf(
  { orgId, ownerId }: ReportSchedule,
  report: ReportSubject,
  { savedReport }: SendingTools,
): Promise<ReportMade | { failed: string }> {
  try {
    return await savedReport({ orgId, ownerId, report })
  } catch (error) {
    const fault = Fault.from(error)
    if (fault.retryable) throw error
    return { failed: fault.message }
  }
}

const lockSchedule = (
  em: EntityManager,
  { orgId, id }: Pick<ReportSchedule, 'orgId' | 'id'>,
): Promise<ReportSchedule | null> =>
  em.findOne(ReportSchedule, { orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })

const stateOf = (
  { email, isOutside }: ReportRecipient,
  { unsubscribed }: ReportSchedule,
  members: ReadonlySet<string>,
): MailState => (unsubscribed.includes(email) ? 'unsubscribed' : isOutside || members.has(email) ? 'waiting' : 'left')

const membersSql = `
  select lower(u.email) as email from member m join app_user u on u.id = m.user_id
  where m.org_id = $1 and m.status = 'active' and lower(u.email) = any($2::text[])`

async function membersOf(
  orgId: string,
  recipients: readonly ReportRecipient[],
  { reads }: SendingTools,
): Promise<ReadonlySet<string>> {
  const rows = await reads.rows<{ email: string }>(membersSql, [orgId, recipients.map(({ email }) => email)])
  return new Set(rows.map(({ email }) => email))
}

const addressOf = async (userId: string, { reads }: SendingTools): Promise<string> =>
  (await reads.rows<{ email: string }>('select email from app_user where id::text = $1', [userId]))[0]?.email ?? ''

/** Stores the mail for one recipient, once per due time. */
async function handOver(
  em: EntityManager,
  { orgId, id, last }: ReportSchedule,
  email: string,
  { mail }: { mail: ReportMail },
  { seal, publicUrl, linkSecrets }: SendingTools,
): Promise<void> {
  const { dueAt } = last!
  const claim = { what: 'report', orgId, scheduleId: id, to: addressMark(email) } as const
  const link = publicUrl() && `${publicUrl()}/notifications/unsubscribe?token=${linkToken(claim, linkSecrets()[0]!)}`
  await tell(em, {
    key: `${reportMailName}:${id}/${dueAt}/${claim.to}`,
    name: reportMailName,
    orgId,
    input: {
      scheduleId: id,
      dueAt,
      email,
      sealed: seal(mailSealed, '', { to: email, ...mail(link || undefined) } satisfies Mail),
    } satisfies HandedReport,
  })
}

interface Refusal {
  name: string
  why: string
  /** The owner of the schedule; empty: there is nobody to notify. */
  owner: string
}

/** Disables the schedule, so that its owner is notified of the reason only once. */
async function refuse(
  em: EntityManager,
  schedule: ReportSchedule,
  { name, why, owner }: Refusal,
  { seal }: SendingTools,
): Promise<void> {
  schedule.isOn = false
  schedule.nextDueAt = null
  schedule.last!.reason = why
  const mail: Mail = {
    to: owner,
    subject: `Your scheduled report was turned off: ${name}`.slice(0, 150),
    text: `The report "${name}" was due and was not sent. ${why} The schedule is turned off. Anyone who can see the report can turn it on again.\n`,
  }
  const key = `${mailName}:${schedule.id}/${schedule.last!.dueAt}/refused`
  await tell(em, { key, name: mailName, orgId: schedule.orgId, input: { sealed: seal(mailSealed, '', mail) } })
}

interface HandedReport {
  scheduleId: string
  dueAt: string
  email: string
  sealed: string
}

/** Sends one mail of a report, and records its state in the schedule. */
export function reportMailWork(tools: Pick<Tools, 'channels' | 'open' | 'em'>): EffectWork {
  const became = (input: unknown, orgId: string, state: MailState, message = '') =>
    tools.em().transactional(async (em) => {
      const { scheduleId: id, dueAt, email } = input as HandedReport
      const schedule = await lockSchedule(em, { orgId, id })
      if (!schedule || schedule.last?.dueAt !== dueAt) return
      schedule.last = withMail(schedule.last, email, state, message)
    })
  return {
    name: reportMailName,
    pool: 'mail',
    retry: retries.email,
    async run(input, { key, orgId }) {
      const mail = tools.open(mailSealed, '', (input as HandedReport).sealed) as Mail
      await tools.channels.email.send(mail, key)
      await became(input, orgId, 'sent')
    },
    async failed(input, { orgId }, fault) {
      const said = fault.kind === 'defect' ? 'The mail server did not accept the message.' : fault.message
      await became(input, orgId, 'failed', said)
    },
  }
}

const withMail = (last: LastReport, email: string, state: MailState, message: string): LastReport => ({
  ...last,
  mails: last.mails.map((mail) => (mail.email === email ? { email, state, message } : mail)),
})

/** Schedules for mailing saved views and dashboards, and sending a test to oneself. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ReportMail } from '#streams/delivery/report.ts'
import { mailName, mailSealed } from '#actors/notification/mail.ts'
import { editSchedule, makeSchedule, removeSchedule, schedulesMax } from '#actors/saved-view/change.ts'
import { ReportSchedule, type ReportRecipient } from '#actors/saved-view/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { tell } from '#engine/run/tell.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { ScheduleBody, ScheduleChange, showSchedule, type AnySchedule } from '#http/saved-view/schedule-body.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

/** What is mailed. */
export interface MailSubject<S extends { id: string }> {
  /** Its address, and the parameter in that. */
  path: string
  param: string
  /** With the article. */
  noun: string
  tag: string
  /** A schedule of it. */
  reply: typeof AnySchedule
  show: (subjectId: string, shown: ReturnType<typeof showSchedule>) => Static<typeof AnySchedule>
  /** @throws Fault `missing` */
  found: (em: EntityManager, caller: Caller, id: string) => Promise<S>
  /** @throws Fault `refused` `view_not_mailable` */
  check: (subject: S) => void
  /** @throws Fault `forbidden`, and as the reports */
  report: (caller: Caller, subject: S, services: Services) => Promise<ReportMail>
}

const membersSql = `
  select m.user_id::text as user_id, u.email from member m join app_user u on u.id = m.user_id
  where m.org_id = ? and m.status = 'active'`

/** Addresses of active members by user id. */
async function members({ orgId }: Caller, { identity }: Services): Promise<ReadonlyMap<string, string>> {
  const rows = await asService(() => identity.em().execute<{ user_id: string; email: string }[]>(membersSql, [orgId]))
  return new Map(rows.map(({ user_id, email }) => [user_id, normalizeEmail(email)]))
}

/**
 * The recipients: only owners and admins can add addresses of others, which then stay.
 * @throws Fault `forbidden` `recipient_outside`, without naming the address
 */
async function recipientsOf(
  given: readonly string[],
  before: readonly ReportRecipient[],
  caller: Caller,
  services: Services,
): Promise<ReportRecipient[]> {
  const known = new Set((await members(caller, services)).values())
  const stay = new Set(before.flatMap(({ email, isOutside }) => (isOutside ? [email] : [])))
  const emails = [...new Set(given.map(normalizeEmail))]
  const outside = emails.filter((email) => !known.has(email))
  if (!caller.isAdmin && outside.some((email) => !stay.has(email)))
    throw Fault.forbidden(
      'recipient_outside',
      'Only owners and admins can send reports to addresses of people who are not members.',
    )
  return emails.map((email) => ({ email, isOutside: outside.includes(email) }))
}

/** The caller's own address. @throws Fault `forbidden` `person_required` for a machine token */
async function ownAddress(caller: Caller, services: Services): Promise<string> {
  const address = (await members(caller, services)).get(caller.userId)
  if (address === undefined)
    throw Fault.forbidden('person_required', 'This is only for people. The token does not belong to a user.')
  return address
}

/** Schedules are visible to their owner, and to owners and admins of the organization. @throws Fault `missing` */
async function foundSchedule(
  em: EntityManager,
  { orgId, userId, isAdmin }: Caller,
  subjectId: string,
  id: string,
): Promise<ReportSchedule> {
  const seen = { orgId, subjectId, id, ...(!isAdmin && { ownerId: userId }) }
  const found = isUuid(id) ? await em.findOne(ReportSchedule, seen, { refresh: true }) : null
  if (!found) throw Fault.missing('report schedule', id)
  return found
}

/** @throws Fault `invalid` if the day for its kind of period is missing */
function dayOf({ every, weekday, day }: { every: 'week' | 'month'; weekday?: number; day?: number }) {
  const name = every === 'week' ? 'weekday' : 'day'
  const needed = every === 'week' ? weekday : day
  if (needed === undefined)
    throw badInput({ in: 'body', name: `/${name}`, code: 'required', message: `is required for every ${every}` })
  return { weekday: weekday ?? 1, day: day ?? 1 }
}

/** The report is computed first, so that no transaction waits for it. */
async function sendTest(caller: Caller, makeReport: () => Promise<ReportMail>, services: Services) {
  const to = await ownAddress(caller, services)
  const mail = await makeReport()
  const input = { sealed: services.seal(mailSealed, '', { to, ...mail() }) }
  return services.change(async ({ em }) => {
    await tell(em, { key: `${mailName}:${randomUUID()}`, name: mailName, orgId: caller.orgId, input })
    return reply({ sentTo: to }, {})
  })
}

type Given = Readonly<Record<string, string>>

/** What the routes of one kind have in common. */
function toolsOf<S extends { id: string }>(mailed: MailSubject<S>) {
  const { path, param, noun, tag, reply: shown } = mailed
  const subjectOf = (em: EntityManager, caller: Caller, given: Given) => mailed.found(em, caller, given[param]!)
  return {
    path,
    noun,
    shown,
    routeBase: { permission: 'service.view', tags: [tag] } as const,
    params: t.Object({ [param]: t.String() }),
    one: t.Object({ [param]: t.String(), scheduleID: t.String() }),
    subjectOf,
    scheduleOf: async (em: EntityManager, caller: Caller, given: Given) =>
      foundSchedule(em, caller, (await subjectOf(em, caller, given)).id, given['scheduleID']!),
    show: (schedule: ReportSchedule, caller: Caller) => mailed.show(schedule.subjectId, showSchedule(schedule, caller)),
  }
}

/** The schedules of one kind of what is mailed, and its test. */
export const schedulesOf = <S extends { id: string }>(mailed: MailSubject<S>): readonly Route[] => [
  ...listing(mailed),
  ...changing(mailed),
  testing(mailed),
]

function listing<S extends { id: string }>(mailed: MailSubject<S>): Route[] {
  const { path, noun, shown, routeBase, params, subjectOf, show } = toolsOf(mailed)
  return [
    route({
      ...routeBase,
      method: 'GET',
      path: `${path}/schedules`,
      summary: `List email schedules of ${noun} with the result of the last run: your own, for owners and admins all`,
      description: 'Times are in the time zone of each schedule.',
      params,
      reply: t.Array(shown),
      handle: async ({ caller, params: given }, { em }) => {
        const { orgId, userId, isAdmin } = caller
        const { id: subjectId } = await subjectOf(em, caller, given)
        const seen = { orgId, subjectId, ...(!isAdmin && { ownerId: userId }) }
        const all = await em.find(ReportSchedule, seen, { orderBy: { createdAt: 'asc', id: 'asc' }, refresh: true })
        return all.map((schedule) => show(schedule, caller))
      },
    }),

    route({
      ...routeBase,
      method: 'POST',
      path: `${path}/schedules`,
      summary: `Schedule ${noun} to be emailed every week or month`,
      description:
        'Each run sends one email to each recipient, with what you may see at that time; if you may no longer see anything, ' +
        `the schedule is disabled and you are notified once. At most ${schedulesMax} per user. Returns 422 view_not_mailable ` +
        'for views that cannot be sent by email.',
      status: 201,
      params,
      body: ScheduleBody,
      reply: shown,
      refuses: {
        403: ['recipient_outside', 'person_required'],
        422: ['view_not_mailable', 'too_many_report_schedules'],
      },
      handle: async ({ caller, params: given, body }, services) => {
        await ownAddress(caller, services)
        const { isOn = true, every, hour, timezone } = body
        const recipients = await recipientsOf(body.recipients, [], caller, services)
        return services.change(async (tx) => {
          const subject = await subjectOf(tx.em, caller, given)
          mailed.check(subject)
          const of = { subjectId: subject.id, ownerId: caller.userId }
          const made = await makeSchedule(tx, of, { every, hour, timezone, ...dayOf(body), recipients, isOn })
          return reply(show(made, caller), {})
        })
      },
    }),
  ]
}

function changing<S extends { id: string }>(mailed: MailSubject<S>): Route[] {
  const { path, shown, routeBase, one, scheduleOf, show } = toolsOf(mailed)
  return [
    route({
      ...routeBase,
      method: 'PATCH',
      path: `${path}/schedules/:scheduleID`,
      summary: 'Update an email schedule; omitted fields are unchanged',
      description:
        "It keeps its owner and uses the owner's permissions. Recipients who have unsubscribed stay unsubscribed.",
      params: one,
      body: ScheduleChange,
      reply: shown,
      refuses: { 403: ['recipient_outside', 'person_required'] },
      handle: async ({ caller, params: given, body }, services) =>
        services.change(async (tx) => {
          const schedule = await scheduleOf(tx.em, caller, given)
          const { recipients, ...times } = body
          const to = recipients && {
            recipients: await recipientsOf(recipients, schedule.recipients, caller, services),
          }
          await editSchedule(tx, schedule, { ...times, ...to })
          return show(schedule, caller)
        }),
    }),

    route({
      ...routeBase,
      method: 'DELETE',
      path: `${path}/schedules/:scheduleID`,
      summary: 'Delete an email schedule',
      description: 'An email in delivery is still sent. Owners and admins can delete the schedules of other users.',
      status: 204,
      params: one,
      handle: ({ caller, params: given }, { change }) =>
        change(async (tx) => removeSchedule(tx, await scheduleOf(tx.em, caller, given))),
    }),
  ]
}

function testing<S extends { id: string }>(mailed: MailSubject<S>): Route {
  const { path, noun, routeBase, params, subjectOf } = toolsOf(mailed)
  return route({
    ...routeBase,
    method: 'POST',
    path: `${path}/test`,
    summary: `Email ${noun} to yourself now`,
    description:
      'Sends it to your own address, with what you may see. Returns 422 view_not_mailable for views that cannot be sent by email.',
    status: 202,
    params,
    reply: t.Object({ sentTo: t.String() }),
    example: { sentTo: 'ana@example.com' },
    refuses: { 403: ['person_required', 'report_scope'], 422: ['view_not_mailable', 'report_too_large'] },
    handle: ({ caller, params: given }, services) =>
      sendTest(
        caller,
        async () => mailed.report(caller, await subjectOf(services.em, caller, given), services),
        services,
      ),
  })
}

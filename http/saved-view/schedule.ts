/** Schedules for mailing saved views, and sending a test to oneself. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { mailName, mailSealed } from '#actors/notification/mail.ts'
import { editSchedule, foundView, makeSchedule, removeSchedule, schedulesMax } from '#actors/saved-view/change.ts'
import { ReportSchedule, type ReportRecipient } from '#actors/saved-view/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { t } from '#engine/value/schema.ts'
import { tell } from '#engine/run/tell.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { Schedule, ScheduleBody, ScheduleChange, showSchedule } from '#http/saved-view/body.ts'
import { checkMailable, reportBy } from '#http/saved-view/report.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const routeBase = { permission: 'service.view', tags: ['Saved views'] } as const
const params = t.Object({ savedViewID: t.String() })
const one = t.Object({ savedViewID: t.String(), scheduleID: t.String() })

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
  { savedViewID, scheduleID: id }: { savedViewID: string; scheduleID: string },
): Promise<ReportSchedule> {
  const { id: viewId } = await foundView(em, orgId, savedViewID, userId)
  const seen = { orgId, viewId, id, ...(!isAdmin && { ownerId: userId }) }
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

/** Computes the report first, so that no transaction waits for it. */
async function sendTest(caller: Caller, savedViewID: string, services: Services) {
  const to = await ownAddress(caller, services)
  const view = await foundView(services.em, caller.orgId, savedViewID, caller.userId)
  const mail = await reportBy(caller, view, services)
  const input = { sealed: services.seal(mailSealed, '', { to, ...mail() }) }
  return services.change(async ({ em }) => {
    await tell(em, { key: `${mailName}:${randomUUID()}`, name: mailName, orgId: caller.orgId, input })
    return reply({ sentTo: to }, {})
  })
}

export const reportSchedules: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/saved-views/:savedViewID/schedules',
    summary: 'List email schedules of saved views with the result of the last run: your own, for owners and admins all',
    description: 'Times are in the time zone of each schedule.',
    params,
    reply: t.Array(Schedule),
    handle: async ({ caller, params: { savedViewID } }, { em }) => {
      const { orgId, userId, isAdmin } = caller
      const { id: viewId } = await foundView(em, orgId, savedViewID, userId)
      const seen = { orgId, viewId, ...(!isAdmin && { ownerId: userId }) }
      const found = await em.find(ReportSchedule, seen, { orderBy: { createdAt: 'asc', id: 'asc' }, refresh: true })
      return found.map((schedule) => showSchedule(schedule, caller))
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/saved-views/:savedViewID/schedules',
    summary: 'Schedule a saved view to be emailed every week or month',
    description:
      'Each run sends one email to each recipient, with what you may see at that time; if you may no longer see anything, ' +
      `the schedule is disabled and you are notified once. At most ${schedulesMax} per user. Returns 422 view_not_mailable ` +
      'for views that cannot be sent by email.',
    status: 201,
    params,
    body: ScheduleBody,
    reply: Schedule,
    refuses: { 403: ['recipient_outside', 'person_required'], 422: ['view_not_mailable', 'too_many_report_schedules'] },
    handle: async ({ caller, params: { savedViewID }, body }, services) => {
      await ownAddress(caller, services)
      const { isOn = true, every, hour, timezone } = body
      const recipients = await recipientsOf(body.recipients, [], caller, services)
      return services.change(async (tx) => {
        const view = await foundView(tx.em, caller.orgId, savedViewID, caller.userId)
        checkMailable(view.view)
        const of = { viewId: view.id, ownerId: caller.userId }
        const made = await makeSchedule(tx, of, { every, hour, timezone, ...dayOf(body), recipients, isOn })
        return reply(showSchedule(made, caller), {})
      })
    },
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/saved-views/:savedViewID/schedules/:scheduleID',
    summary: 'Update an email schedule; omitted fields are unchanged',
    description:
      "It keeps its owner and uses the owner's permissions. Recipients who have unsubscribed stay unsubscribed.",
    params: one,
    body: ScheduleChange,
    reply: Schedule,
    refuses: { 403: ['recipient_outside', 'person_required'] },
    handle: async ({ caller, params: place, body }, services) =>
      services.change(async (tx) => {
        const found = await foundSchedule(tx.em, caller, place)
        const { recipients, ...times } = body
        const to = recipients && { recipients: await recipientsOf(recipients, found.recipients, caller, services) }
        await editSchedule(tx, found, { ...times, ...to })
        return showSchedule(found, caller)
      }),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/saved-views/:savedViewID/schedules/:scheduleID',
    summary: 'Delete an email schedule',
    description: 'An email in delivery is still sent. Owners and admins can delete the schedules of other users.',
    status: 204,
    params: one,
    handle: ({ caller, params: place }, { change }) =>
      change(async (tx) => removeSchedule(tx, await foundSchedule(tx.em, caller, place))),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/saved-views/:savedViewID/test',
    summary: 'Email a saved view to yourself now',
    description:
      'Sends it to your own address, with what you may see. Returns 422 view_not_mailable for views that cannot be sent by email.',
    status: 202,
    params,
    reply: t.Object({ sentTo: t.String() }),
    example: { sentTo: 'ana@example.com' },
    refuses: { 403: ['person_required', 'report_scope'], 422: ['view_not_mailable', 'report_too_large'] },
    handle: ({ caller, params: { savedViewID } }, services) => sendTest(caller, savedViewID, services),
  }),
]

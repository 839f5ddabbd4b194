/** Ways for tests to drive the service from outside (decision G-105). Mounted only when the operator says so. */
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { badInput } from '#http/problem.ts'
import { route, type Route, type Services } from '#http/route.ts'
import { jobNames } from '#streams/job.ts'
import { FaultPlan } from '#streams/cloud/simulated/faults.ts'

const hooksOf = ({ hooks }: Services) => {
  if (!hooks) throw new Fault('missing', 'not_found', 'There is nothing at this path.')
  return hooks
}

const fixed = { method: 'POST', permission: 'public', hidden: true, bare: true } as const

export const internals: readonly Route[] = [
  route({
    method: 'GET',
    path: '/internal/sim/mails',
    summary: 'The mails in the outbox file, oldest first',
    permission: 'public',
    hidden: true,
    query: t.Object({ to: t.Optional(t.String()) }),
    reply: t.Array(t.Object({ at: t.String(), to: t.String(), subject: t.String(), text: t.String() })),
    handle: async ({ query }, services) => {
      const mails = await hooksOf(services).mails()
      return mails.filter(({ to }) => query.to === undefined || to === query.to.toLowerCase())
    },
  }),
  route({
    ...fixed,
    path: '/internal/clock',
    summary: 'Set the clock, or move it on',
    body: t.Object({
      now: t.Optional(t.String({ format: 'date-time' })),
      advanceSeconds: t.Optional(t.Number({ exclusiveMinimum: 0, maximum: 400 * 86_400 })),
    }),
    reply: t.Object({ now: t.String() }),
    handle: async ({ body }, services) => {
      if ((body.now === undefined) === (body.advanceSeconds === undefined)) {
        throw badInput({ in: 'body', name: '', code: 'one_of', message: 'must have either now or advanceSeconds' })
      }
      const to = body.now ? new Date(body.now) : new Date(services.now().getTime() + (body.advanceSeconds ?? 0) * 1000)
      await hooksOf(services).setClock(to)
      return { now: services.now().toISOString() }
    },
  }),
  route({
    ...fixed,
    path: '/internal/sim/faults',
    summary: 'Replace the plan of faults of the simulated cloud',
    body: FaultPlan,
    reply: t.Object({ active: t.Integer() }),
    handle: async ({ body }, services) => {
      await hooksOf(services).faults(body)
      return { active: body.faults.length }
    },
  }),
  route({
    ...fixed,
    path: '/internal/jobs/tick/run',
    summary: 'Run everything that is due now',
    status: 202,
    reply: t.Object({ ran: t.Boolean() }),
    handle: async (_request, services) => {
      await hooksOf(services).tick()
      return { ran: true }
    },
  }),
  route({
    ...fixed,
    path: '/internal/jobs/:name/run',
    summary: 'Run a job now, of one organization or of all, and wait for what it leads to',
    status: 202,
    params: t.Object({ name: t.Enum(jobNames) }),
    body: t.Optional(
      t.Object({
        orgId: t.Optional(t.String({ minLength: 1 })),
        date: t.Optional(t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'the day it is about' })),
        period: t.Optional(t.String({ pattern: '^\\d{4}-\\d{2}$', description: 'the month it is about' })),
      }),
    ),
    reply: t.Object({ ran: t.Integer({ description: 'organizations' }) }),
    handle: async ({ params, body }, services) => ({ ran: await hooksOf(services).runJob(params.name, body ?? {}) }),
  }),
]

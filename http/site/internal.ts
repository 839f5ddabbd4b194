/**
 * Routes by which tests control the service from outside (decision G-105). Only served if the operator has enabled it.
 */
import { dayOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { jobNames, type JobName } from '#streams/job.ts'
import { FaultPlan } from '#streams/cloud/simulated/state/faults.ts'

const hooksOf = ({ hooks }: Services) => {
  if (!hooks) throw new Fault('missing', 'not_found', 'No such path.')
  return hooks
}

const routeBase = { method: 'POST', permission: 'public', hidden: true, bare: true } as const

const About = t.Object({
  orgId: t.Optional(t.String({ minLength: 1 })),
  date: t.Optional(
    t.String({
      pattern: '^(19|20)\\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
      description: 'the day for anomaly-detection and anomaly-check',
    }),
  ),
  period: t.Optional(t.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$', description: 'the month for monthly-snapshot' })),
})
type About = Static<typeof About>

const Mail = t.Object({
  at: t.String(),
  to: t.String(),
  subject: t.String(),
  text: t.String(),
  html: t.Optional(t.String()),
  headers: t.Optional(t.Record(t.String(), t.String())),
})

export const internals: readonly Route[] = [
  route({
    method: 'GET',
    path: '/internal/sim/mails',
    summary: 'List the emails in the outbox file, oldest first',
    permission: 'public',
    hidden: true,
    secret: true,
    query: t.Object({ to: t.Optional(t.String()) }),
    bare: true,
    // Both as in all responses, and under the name in the list of endpoints.
    reply: t.Object({ data: t.Array(Mail), mails: t.Array(Mail) }),
    handle: async ({ query }, services) => {
      const mails = await hooksOf(services).mails()
      const data = mails.filter(({ to }) => query.to === undefined || to.toLowerCase() === query.to.toLowerCase())
      return { data, mails: data }
    },
  }),
  route({
    ...routeBase,
    path: '/internal/clock',
    summary: 'Set or advance the clock',
    body: t.Object({
      now: t.Optional(t.String({ format: 'date-time' })),
      advanceSeconds: t.Optional(t.Number({ exclusiveMinimum: 0, maximum: 400 * 86_400 })),
    }),
    reply: t.Object({ now: t.String() }),
    handle: async ({ body }, services) => {
      if ((body.now === undefined) === (body.advanceSeconds === undefined)) {
        throw badInput({ in: 'body', name: '', code: 'one_of', message: 'requires either now or advanceSeconds' })
      }
      const to = body.now ? new Date(body.now) : new Date(services.now().getTime() + (body.advanceSeconds ?? 0) * 1000)
      await hooksOf(services).setClock(to)
      return { now: services.now().toISOString() }
    },
  }),
  route({
    ...routeBase,
    path: '/internal/settled',
    summary: 'Wait until all work of an organization is done: lanes, daily totals, effects, messages and deliveries',
    body: t.Object({
      orgId: t.String({ minLength: 1 }),
      waitSeconds: t.Optional(t.Number({ minimum: 0, maximum: 300, description: 'default 60' })),
    }),
    reply: t.Object({
      settled: t.Boolean(),
      left: t.Array(t.String(), { description: 'work still in progress when the wait ended' }),
    }),
    handle: async ({ body: { orgId, waitSeconds = 60 } }, services) => {
      const left = await hooksOf(services).settle(orgId, waitSeconds * 1000)
      return { settled: left.length === 0, left }
    },
  }),
  route({
    ...routeBase,
    path: '/internal/sim/faults',
    summary: 'Replace the fault plan of the simulated cloud',
    body: FaultPlan,
    reply: t.Object({ active: t.Integer() }),
    handle: async ({ body }, services) => {
      await hooksOf(services).faults(body)
      return { active: body.faults.length }
    },
  }),
  route({
    method: 'GET',
    path: '/internal/sim/calls',
    summary: 'List the calls to the simulated cloud by all processes that share its folder, oldest first',
    permission: 'public',
    hidden: true,
    query: t.Object({
      since: t.Optional(
        t.Union([t.String({ format: 'date-time' }), t.String({ pattern: '^\\d{1,9}\\.\\d{1,15}$' })], {
          description: 'a time, or the previous value of `next`: only calls after it',
        }),
      ),
    }),
    reply: t.Object({
      calls: t.Array(
        t.Object({
          at: t.String(),
          call: t.String(),
          cloudAccountId: t.String(),
          resourceUid: t.Optional(t.String()),
          id: t.Optional(t.String({ description: 'parameters of the action' })),
          detail: t.Optional(
            t.Object(
              {
                size: t.Optional(t.String()),
                counts: t.Optional(t.Record(t.String(), t.Integer())),
                specs: t.Optional(t.Record(t.String(), t.Unknown())),
              },
              { description: 'for resize the size, for set the specs' },
            ),
          ),
          outcome: t.String({ description: 'ok, or the bucket of the error' }),
          repeated: t.Optional(t.Boolean({ description: 'the action had already taken effect' })),
        }),
      ),
      next: t.String(),
    }),
    handle: async ({ query: { since } }, services) => {
      const { calls, next } = await hooksOf(services).calls(since?.includes('T') ? new Date(since) : since)
      return { calls: calls.map((made) => ({ ...made, at: made.at.toISOString() })), next }
    },
  }),
  route({
    method: 'POST',
    path: '/internal/jobs/:name/run',
    summary: 'Run a job now, for one organization or for all that have it, and wait for its effects',
    description: `Jobs are ${jobNames.join(', ')}, and tick, which runs everything that is due now. Parameters that a job does not use are rejected.`,
    permission: 'public',
    hidden: true,
    status: 202,
    params: t.Object({ name: t.String() }),
    body: About,
    refuses: { 422: ['job_failed'] },
    reply: t.Object({ runID: t.String({ description: 'for each organization that the job ran for' }) }),
    handle: async ({ params: { name }, body }, services) => {
      const hooks = hooksOf(services)
      const job = [...jobNames, 'tick' as const].find((one) => one === name)
      if (!job) throw new Fault('missing', 'not_found', `Unknown job. Jobs are ${jobNames.join(', ')} and tick.`)
      checkAbout(job, body)
      return { runID: job === 'tick' ? await hooks.tick() : await hooks.runJob(job, body) }
    },
  }),
]

/** What each job can be about, besides the organization. */
const about: Readonly<Partial<Record<JobName, 'date' | 'period'>>> = {
  'anomaly-detection': 'date',
  'anomaly-check': 'date',
  'monthly-snapshot': 'period',
}

/** @throws Fault `invalid` with members that the job does not use, and a day that does not exist */
function checkAbout(job: JobName | 'tick', body: About): void {
  const taken = job === 'tick' ? [] : ['orgId', about[job]]
  const needless = Object.keys(body).find((name) => !taken.includes(name))
  if (needless) {
    throw badInput({ in: 'body', name: `/${needless}`, code: 'needless', message: `is not a parameter of ${job}` })
  }
  if (body.date !== undefined && dayOf(new Date(`${body.date}T00:00:00Z`)) !== body.date) {
    throw badInput({ in: 'body', name: '/date', code: 'format', message: 'must be an existing day' })
  }
}

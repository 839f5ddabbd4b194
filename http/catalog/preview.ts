/** What something would cost before it is made, and how far what was made is from what was asked for. */
import type { Configs } from '#actors/catalog/config.ts'
import { driftOf } from '#actors/catalog/drift.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { estimate } from '#actors/catalog/estimate.ts'
import { foundJob, foundSpace } from '#actors/catalog/queries.ts'
import { ReferenceShelf } from '#actors/recommendation/reference/shelf.ts'
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { JobBody } from '#http/catalog/body.ts'
import { readConfig } from '#http/catalog/config.ts'
import { driftExample, estimateExample, jobBodyExample } from '#http/catalog/example.ts'
import { params } from '#http/catalog/job.ts'
import { checkOffered, offerOf } from '#http/catalog/offer.ts'
import { asksCloud } from '#http/account/cloud-refusal.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { asService } from '#http/store/tenant.ts'
import { isProvider } from '#streams/names.ts'

const usd = (description: string) => t.Number({ description })
const perHour = (of: string) => usd(`US dollars an hour ${of}, to six places`)
const perMonth = (of: string) => usd(`US dollars for 730 hours ${of}, to the cent`)

const Estimate = t.Object(
  {
    currency: t.Enum(['USD']),
    hourlyUSD: perHour('of all items'),
    monthlyUSD: perMonth('of all items'),
    maxHourlyUSD: perHour('with all that may grow at its most'),
    maxMonthlyUSD: perMonth('with all that may grow at its most'),
    items: t.Array(
      t.Object({
        name: t.String(),
        units: t.Integer({ description: 'machines at their least, gigabytes, or one' }),
        maxUnits: t.Integer({ description: 'machines at their most; units otherwise' }),
        unitHourlyUSD: perHour('of one unit'),
        hourlyUSD: perHour('of all its units'),
        monthlyUSD: perMonth('of all its units'),
      }),
    ),
    unknown: t.Array(t.String(), {
      description: 'what costs money and counts as 0 here: by what is used of it, or without a price in the tables',
    }),
  },
  { title: 'ProvisioningEstimate', examples: [estimateExample] },
)

const Drift = t.Object(
  {
    jobID: t.String(),
    exists: t.Boolean({ description: 'false: its cloud knows nothing of it any more' }),
    drift: t.Array(
      t.Object({
        path: t.String({ description: 'a JSON pointer into the config' }),
        wanted: t.Unknown({ description: 'null for what nobody asked for' }),
        found: t.Unknown({ description: 'null for what is gone' }),
      }),
      { description: 'empty where all that the cloud tells is as it was asked for' },
    ),
  },
  { title: 'ProvisioningDrift', examples: [driftExample] },
)

const shelf = new ReferenceShelf()

/** Of the operator, for all organizations. */
const tables = ({ em, now }: Services) =>
  asService(async () => {
    const all = em.fork()
    const found = await shelf.current((sql, values) => all.execute(sql, [...values]))
    return found.at({ now: now(), families: [] })
  })

/** What a step told, by step. */
const outputsOf = ({ steps }: ProvisioningJob): Record<string, Record<string, unknown>> =>
  Object.fromEntries(steps.flatMap(({ id, output }) => (output ? [[id, output]] : [])))

/** Milliseconds a cloud may take to answer. */
const answerMs = 60_000

/** @throws Fault `transient` where the cloud does not answer in time */
async function within<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(Fault.transient('no_answer', 'no answer in 60 s')), answerMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const fixed = { tags: ['Provisioning'], permission: 'provisioning.view' } as const

export const provisioningPreviews: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/provisioning-jobs/estimate',
    readOnly: true,
    summary: 'What something would cost in a space; nothing is kept',
    description:
      'List prices on demand, by the tables that recommendations use (`tidemark prices`): without discounts, taxes and traffic. ' +
      'What could not be asked for is refused as POST /provisioning-jobs refuses it.',
    body: t.Object(
      { spaceID: JobBody.properties.spaceID, kind: JobBody.properties.kind, config: JobBody.properties.config },
      { examples: [jobBodyExample] },
    ),
    reply: Estimate,
    refuses: asksCloud({
      404: ['not_found'],
      409: ['space_disabled'],
      422: ['not_a_cluster', 'unsupported_provisioning', 'capability_missing'],
      503: ['no_answer'],
    }),
    handle: async ({ caller, body }, services) => {
      const config = readConfig(body.kind, body.config)
      const space = await foundSpace(services.em, caller.orgId, body.spaceID)
      await checkOffered(services, space, { kind: body.kind, config })
      const { provider, region } = space
      if (!isProvider(provider)) throw Fault.refused('capability_missing', 'Nobody knows of which cloud the space is.')
      const worth = estimate(
        body.kind,
        config as Configs[typeof body.kind],
        { provider, region },
        await tables(services),
      )
      return { currency: 'USD' as const, ...worth }
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/provisioning-jobs/:id/drift',
    summary: 'How far what a job has made is from its config, as its cloud has it now',
    description: 'Asks the cloud. 409 job_not_ready for a job that is not ready.',
    params,
    reply: Drift,
    refuses: asksCloud({
      409: ['job_not_ready'],
      422: ['capability_missing', 'unsupported_provisioning'],
      503: ['no_answer'],
    }),
    handle: async ({ caller, params: { id } }, services) => {
      const job = await foundJob(services.em, caller.orgId, id)
      if (job.phase !== 'ready')
        throw Fault.conflict('job_not_ready', `The job is ${job.phase}: only what is ready is looked at.`)
      const { cloud, account } = await offerOf(services, caller.orgId, job.cloudAccountId)
      if (!cloud.describe)
        throw Fault.refused('unsupported_provisioning', `Nothing is provisioned at ${job.provider} yet.`)
      const { kind, region, clusterUid = null, config, tags } = job
      const asked = { jobId: job.id, kind, region, clusterUid, config, tags, outputs: outputsOf(job) }
      const found = await within(cloud.describe(account, asked))
      return { jobID: job.id, exists: found !== null, drift: found ? driftOf(config, found) : [] }
    },
  }),
]

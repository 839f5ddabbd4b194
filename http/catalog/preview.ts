/** Cost of something before it is created, and differences between what exists and what was requested. */
import { objectsOf } from '#actors/catalog/components/render.ts'
import type { Configs } from '#actors/catalog/config/config.ts'
import { driftOf } from '#actors/catalog/config/drift.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { estimate } from '#actors/catalog/config/estimate.ts'
import { foundJob, foundSpace } from '#actors/catalog/queries.ts'
import { ReferenceCache } from '#actors/recommendation/reference/book/reference-cache.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
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
const perHour = (of: string) => usd(`US dollars per hour ${of}, to six decimal places`)
const perMonth = (of: string) => usd(`US dollars per 730 hours ${of}, rounded to the cent`)

const Estimate = t.Object(
  {
    currency: t.Enum(['USD']),
    hourlyUSD: perHour('of all items'),
    monthlyUSD: perMonth('of all items'),
    maxHourlyUSD: perHour('with everything scaled to its maximum'),
    maxMonthlyUSD: perMonth('with everything scaled to its maximum'),
    items: t.Array(
      t.Object({
        name: t.String(),
        units: t.Integer({ description: 'minimum number of machines, gigabytes, or one' }),
        maxUnits: t.Integer({ description: 'maximum number of machines; for other items the same as units' }),
        unitHourlyUSD: perHour('of one unit'),
        hourlyUSD: perHour('of all its units'),
        monthlyUSD: perMonth('of all its units'),
        price: t.Optional(
          t.Object(
            {
              source: t.String({ description: "the cloud's price list, the operator's price file, or price tables" }),
              effectiveOn: t.String({ description: 'day or month from which the source has the price' }),
            },
            { description: 'where its list price comes from; absent for items that cost nothing' },
          ),
        ),
      }),
    ),
    unknown: t.Array(t.String(), {
      description: 'billable items that count as 0 here: charged by usage, or without a known price',
    }),
  },
  { title: 'ProvisioningEstimate', examples: [estimateExample] },
)

const Drift = t.Object(
  {
    jobID: t.String(),
    exists: t.Boolean({ description: 'false: it no longer exists in the cloud' }),
    drift: t.Array(
      t.Object({
        path: t.String({ description: 'JSON pointer into the config' }),
        wanted: t.Unknown({ description: 'null for values that were not requested' }),
        found: t.Unknown({ description: 'null for removed values' }),
      }),
      { description: 'empty if everything that the cloud reports is as requested' },
    ),
  },
  { title: 'ProvisioningDrift', examples: [driftExample] },
)

const shelf = new ReferenceCache()

/** The operator's values, which apply to all organizations. */
const tables = ({ em, now }: Services) =>
  asService(async () => {
    const all = em.fork()
    const found = await shelf.current((sql, values) => all.execute(sql, [...values]))
    return found.at({ now: now(), families: [] })
  })

/** Outputs by step. */
const outputsOf = ({ steps }: ProvisioningJob): Record<string, Record<string, unknown>> =>
  Object.fromEntries(steps.flatMap(({ id, output }) => (output ? [[id, output]] : [])))

/** Maximum milliseconds until a cloud answers. */
const answerMs = 60_000

/** @throws Fault `transient` if the cloud does not answer in time */
async function within<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(Fault.transient('no_answer', 'no response within 60 s')), answerMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const routeBase = { tags: ['Provisioning'], permission: 'provisioning.view' } as const

export const provisioningPreviews: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/provisioning-jobs/estimate',
    readOnly: true,
    summary: 'Estimate the cost of a provisioning config in a space; nothing is stored',
    description:
      'Uses on-demand list prices from the same tables as recommendations (`tidemark prices`), without discounts, taxes and ' +
      'traffic. Invalid configs are rejected as in POST /provisioning-jobs.',
    body: t.Object(
      { spaceID: JobBody.properties.spaceID, kind: JobBody.properties.kind, config: JobBody.properties.config },
      { examples: [jobBodyExample] },
    ),
    reply: Estimate,
    refuses: asksCloud({
      404: ['not_found'],
      409: ['space_disabled'],
      422: ['not_a_cluster', 'unsupported_provisioning', 'capability_missing', 'not_a_server', 'credentials_missing'],
      503: ['no_answer'],
    }),
    handle: async ({ caller, body }, services) => {
      const config = readConfig(body.kind, body.config)
      const space = await foundSpace(services.em, caller.orgId, body.spaceID)
      await checkOffered(services, space, { kind: body.kind, config })
      const { provider, region } = space
      if (!isProvider(provider)) throw Fault.refused('capability_missing', 'The cloud of this space is not known yet.')
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
    ...routeBase,
    method: 'GET',
    path: '/provisioning-jobs/:id/drift',
    summary: 'Compare the resources of a job with its config, as they are in the cloud now',
    description: 'Queries the cloud. Returns 409 job_not_ready if the job is not ready.',
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
        throw Fault.conflict(
          'job_not_ready',
          `The job is ${job.phase}. Drift can only be detected for jobs that are ready.`,
        )
      const { cloud, account } = await offerOf(services, caller.orgId, job.cloudAccountId)
      if (!cloud.describe)
        throw Fault.refused('unsupported_provisioning', `Provisioning is not available for ${job.provider} yet.`)
      const { kind, region, clusterUid = null, config, tags } = job
      const asked = {
        jobId: job.id,
        kind,
        region,
        clusterUid,
        config,
        ...objectsOf(job),
        tags,
        outputs: outputsOf(job),
      }
      const found = await within(cloud.describe(account, asked))
      return { jobID: job.id, exists: found !== null, drift: found ? driftOf(config, found) : [] }
    },
  }),
]

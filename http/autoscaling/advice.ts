/** Advice for a new policy: how its target was used, and what scales it already. */
import { smartDefaults, windowDays } from '#actors/autoscaling/policy/smart-default.ts'
import { fleetUsage } from '#analytics/autoscaling/questions.ts'
import { clickhouseTime } from '#analytics/store/time.ts'
import { dayMs } from '#engine/value/day.ts'
import { t } from '#engine/value/schema.ts'
import { exampleIds } from '#http/autoscaling/example.ts'
import { adviceOf, nativePolicies } from '#http/autoscaling/native.ts'
import { knownTarget, targetFound } from '#http/autoscaling/target.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { asksCloud } from '#http/account/cloud-refusal.ts'
import { route, type Route } from '#http/edge/route.ts'
import { adoptions } from '#streams/autoscaling.ts'
import { percent } from '#streams/figure.ts'

const account = t.String({
  minLength: 1,
  maxLength: 1024,
  description: 'the account that owns the target',
  examples: [exampleIds.account],
})
const target = {
  target_type: t.String({
    minLength: 1,
    maxLength: 256,
    alias: true,
    description: '<provider>-<kind>',
    examples: ['aws-asg'],
  }),
  target_uid: t.String({ minLength: 1, maxLength: 1024, examples: [exampleIds.target] }),
}
const targetTypeField = { in: 'query', name: 'target_type' } as const
const routeBase = { method: 'GET', permission: 'service.view', tags: ['Autoscaler policies'] } as const

export const policyAdvice: readonly Route[] = [
  route({
    ...routeBase,
    path: '/autoscaler-policies/smart-defaults',
    summary: 'Suggest a policy for a target from its last 14 days',
    description:
      'Based on the 95th percentile of its hourly mean CPU and on its maximum number of units; null if there are no measurements.',
    query: t.Object({ cloud_account_id: account, ...target }),
    reply: t.Object({
      min: t.Integer(),
      max: t.Integer(),
      targetCPUPercent: t.Number(),
      cooldownSeconds: t.Integer(),
      basedOn: t.Object({
        windowDays: t.Integer(),
        p95CPUPercent: orNull(t.Number()),
        peakInstances: orNull(t.Integer()),
      }),
    }),
    example: {
      min: 2,
      max: 8,
      targetCPUPercent: 60,
      cooldownSeconds: 300,
      basedOn: { windowDays: 14, p95CPUPercent: 48.2, peakInstances: 6 },
    },
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: async ({ caller, query }, services) => {
      const { cloud_account_id: cloudAccountId, target_type: type, target_uid: uid } = query
      const { account: found } = await targetFound(services, caller, {
        type,
        uid,
        cloudAccountId,
        place: targetTypeField,
      })
      const now = services.now().getTime()
      const window = { since: clickhouseTime(now - windowDays * dayMs), until: clickhouseTime(now) }
      const [used] = await services.analytics(fleetUsage, { account: found.id, uid, ...window })
      const p95 = used?.p95_cpu_percent ?? null
      const peak = used?.peak_units ?? null
      const { targetCpuPercent, ...rest } = smartDefaults({ p95CpuPercent: p95, peakUnits: peak })
      const basedOn = {
        windowDays,
        p95CPUPercent: p95 === null ? null : percent(p95),
        peakInstances: peak === null ? null : Math.ceil(peak),
      }
      return { ...rest, targetCPUPercent: targetCpuPercent, basedOn }
    },
  }),

  route({
    ...routeBase,
    path: '/autoscaler-policies/existing-policies',
    summary: 'Detect existing scaling of a target, and whether to adopt or replace it',
    description:
      'Queries the cloud. Without an account, the first account by ID that has the target is used; 404 if the target is ' +
      'unknown. Suggests adopt if anything other than this service manages any of its scaling.',
    query: t.Object({ ...target, cloud_account_id: t.Optional(account) }),
    reply: t.Object({
      policies: t.Array(
        t.Object({
          policyName: t.String(),
          metric: t.String(),
          target: t.Number({ description: 'target value of the metric' }),
          managedBy: t.Enum(['tidemark', 'customer']),
        }),
      ),
      recommendation: t.Enum(adoptions),
    }),
    example: {
      policies: [{ policyName: 'cpu-60', metric: 'ASGAverageCPUUtilization', target: 60, managedBy: 'customer' }],
      recommendation: 'adopt',
    },
    refuses: asksCloud({ 404: ['not_found'], 422: ['capability_missing'] }),
    handle: async ({ caller, query }, services) => {
      const { cloud_account_id: cloudAccountId, target_type: type, target_uid: uid } = query
      const known = await knownTarget(services, caller, { type, uid, cloudAccountId, place: targetTypeField })
      const found = await nativePolicies(known.account, known.resource, services)
      const policies = found.map(({ policyName, metric, target: held, managedBy }) => ({
        policyName,
        metric,
        target: held,
        managedBy,
      }))
      return { policies, recommendation: adviceOf(policies) }
    },
  }),
]

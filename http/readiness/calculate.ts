/** The capacity that targets would need for an expected load; nothing is stored (decisions G-83, G-85). */
import { assumedTargetCpu, factorOf } from '#actors/autoscaling/policy/calculate.ts'
import { seenTargets } from '#actors/autoscaling/target/queries.ts'
import { stepUp, unknownClass, type Database } from '#actors/readiness/database.ts'
import { policyOfTarget, type Seer } from '#actors/readiness/queries.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { exampleIds } from '#http/readiness/example.ts'
import { routeBase } from '#http/readiness/plan.ts'
import { seerOf } from '#http/readiness/record.ts'
import { factorFor, measuredOf, multiplierFor, sizeTarget, sizings, type Sizing } from '#http/readiness/size.ts'
import { isDatabase } from '#streams/cloud/resource/resource-type.ts'

const reasons = ['no_cpu_metrics', 'no_request_metrics'] as const

const Calculation = t.Object(
  {
    scaledMin: t.Integer(),
    scaledMax: t.Integer(),
    scaledDesired: t.Integer(),
    multiplier: t.Number({ description: 'the method that was used' }),
    method: t.Enum(['multiplier', 'absolute'], { description: 'absolute: computed from expected_requests' }),
    isEstimated: t.Boolean({ description: 'whether an assumption was made' }),
    estimationReason: t.Optional(t.Enum(reasons)),
  },
  {
    title: 'ReadinessCalculation',
    examples: [
      {
        scaledMin: 5,
        scaledMax: 22,
        scaledDesired: 9,
        multiplier: 3,
        method: 'multiplier',
        isEstimated: true,
        estimationReason: 'no_cpu_metrics',
      },
    ],
  },
)

const multiplier = t.Number({
  exclusiveMinimum: 0,
  maximum: 100,
  description: 'expected load as a multiple of the usual load',
})

/** @throws Fault `missing` */
async function sizingOf(policyId: string, caller: Caller, services: Services): Promise<Sizing> {
  const [found] = await sizings([policyId], seerOf(caller), services)
  if (!found) throw Fault.missing('policy', policyId)
  return found
}

/** A given multiplier takes precedence. @throws Fault `invalid` if there is neither */
function resolveMultiplier(
  { multiplier: given, expected_requests: expected }: { multiplier?: number; expected_requests?: number },
  sizing: Sizing,
) {
  if (given !== undefined) return { multiplier: given, method: 'multiplier' as const, isEstimated: false }
  if (expected !== undefined) return { ...multiplierFor(expected, sizing), method: 'absolute' as const }
  throw badInput({ in: 'query', name: 'multiplier', code: 'required', message: 'or expected_requests is required' })
}

interface Target {
  database: Database
  averageCpu: number | null
  factor: number
}

const databaseOf = (resource: Resource | null | undefined, uid: string): Database => {
  if (!resource) throw Fault.missing('resource', uid)
  if (!isDatabase(resource.type))
    throw Fault.refused('not_a_database', 'The target is not a database. It is scaled by its number of units.')
  return resource
}

async function ofPolicy(policyId: string, times: number, caller: Caller, services: Services): Promise<Target> {
  const sizing = await sizingOf(policyId, caller, services)
  const database = databaseOf(sizing.resource, sizing.policy.targetUid)
  return { database, averageCpu: sizing.measured.averageCpu, factor: factorFor(sizing, times) }
}

/** For a database no policy is needed. Uses the first account in which the caller sees it. */
async function ofUid(uid: string, times: number, seer: Seer, services: Services): Promise<Target> {
  const { em } = services
  const { orgId, ...sight } = seer
  const [found] = await seenTargets(em, orgId, sight, { uid })
  const database = databaseOf(found, uid)
  const place = { cloudAccountId: found!.cloudAccountId, targetUid: uid }
  const policy = await policyOfTarget(em, orgId, place)
  const { averageCpu } = (await measuredOf([place], services))(place)
  const targetCpuPercent = policy?.targetCpuPercent ?? assumedTargetCpu
  return { database, averageCpu, factor: factorOf({ multiplier: times, averageCpu, targetCpuPercent }) }
}

export const calculations: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/calculate',
    summary: "Calculate the capacity of a policy's target for an event",
    description:
      'Uses the mean CPU of the last 14 days and the target value of the policy; without measurements, assumes 50 % CPU and a 70 % target. Never below the current capacity.',
    permission: 'service.view',
    query: t.Object({
      policy_id: t.String({ maxLength: 256, description: 'autoscaler policy ID', examples: [exampleIds.policy] }),
      multiplier: t.Optional(multiplier),
      expected_requests: t.Optional(
        t.Integer({
          minimum: 1,
          maximum: 1e12,
          description: 'per minute; an alternative to multiplier, which takes precedence',
        }),
      ),
    }),
    reply: Calculation,
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: async ({ caller, query }, services) => {
      const sizing = await sizingOf(query.policy_id, caller, services)
      const used = resolveMultiplier(query, sizing)
      const { scaled, isEstimated } = sizeTarget(sizing, used.multiplier)
      const reason: (typeof reasons)[number] | undefined = used.isEstimated
        ? 'no_request_metrics'
        : isEstimated
          ? 'no_cpu_metrics'
          : undefined
      return {
        scaledMin: scaled.min,
        scaledMax: scaled.max,
        scaledDesired: scaled.desired,
        multiplier: used.multiplier,
        method: used.method,
        isEstimated: reason !== undefined,
        ...(reason && { estimationReason: reason }),
      }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/calculate-db',
    summary: 'Calculate the database class for an event',
    description:
      'Returns the smallest class of its family with enough vCPUs. Returns 422 not_a_database if it is not a database, and 422 class_unknown if its classes are not known.',
    permission: 'service.view',
    query: t.Object({
      policy_id: t.Optional(t.String({ maxLength: 256, description: 'of the database; or target_uid' })),
      target_uid: t.Optional(t.String({ maxLength: 1024, description: 'UID of the database' })),
      multiplier,
    }),
    reply: t.Object(
      {
        currentClass: t.String(),
        recommendedClass: t.String(),
        steps: t.Integer({ description: 'number of classes it moves up' }),
        isEstimated: t.Boolean({ description: 'whether there are no CPU measurements for the last 14 days' }),
      },
      {
        title: 'ReadinessDatabaseCalculation',
        examples: [{ currentClass: 'db.m5.large', recommendedClass: 'db.m5.2xlarge', steps: 2, isEstimated: false }],
      },
    ),
    refuses: { 404: ['not_found'], 422: ['not_a_database', 'class_unknown', 'report_too_large'] },
    handle: async ({ caller, query }, services) => {
      const { policy_id: policyId, target_uid: uid, multiplier: times } = query
      if (policyId === undefined && uid === undefined)
        throw badInput({ in: 'query', name: 'policy_id', code: 'required', message: 'or target_uid is required' })
      const found =
        policyId === undefined
          ? await ofUid(uid!, times, seerOf(caller), services)
          : await ofPolicy(policyId, times, caller, services)
      const step = stepUp(found.database, found.factor)
      if (!step) throw Fault.refused('class_unknown', unknownClass(found.database))
      return {
        currentClass: step.current.name,
        recommendedClass: step.recommended.name,
        steps: step.steps,
        isEstimated: found.averageCpu === null,
      }
    },
  }),
]

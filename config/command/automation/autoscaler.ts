import { routeCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { choice, id, limit, org, page } from '#config/command/line/flag.ts'
import type { ListPage } from '#config/command/line/api.ts'
import { listOf } from '#config/command/line/table.ts'
import type { show } from '#http/autoscaling/body.ts'
import type { AutoscalerEvent } from '#http/autoscaling/detail.ts'
import { autoscalerStatuses } from '#streams/autoscaling.ts'

type Policy = ReturnType<typeof show>

const modesOf = ({ mode, effectiveMode }: Policy): string =>
  mode === effectiveMode ? mode : `${effectiveMode} (requested ${mode})`

const recommendedOf = ({ latestRecommendation: wanted }: Policy) => wanted && `${wanted.toMin}..${wanted.toMax}`

function lineOf(policy: Policy): string {
  const { id, status, statusReason, name, target, min, max, currentTarget } = policy
  const recommended = recommendedOf(policy)
  const wanted = recommended ? `  recommends ${recommended}` : ''
  const why = statusReason ? ` (${statusReason})` : ''
  return `${id}  ${status}${why}  ${modesOf(policy)}  ${target.uid}  ${currentTarget.desired} of ${min}..${max}${wanted}  ${name}`
}

const list = listOf<Policy>(
  {
    ID: 'id',
    NAME: 'name',
    STATUS: 'status',
    MODE: modesOf,
    TARGET: ({ target }) => target.uid,
    DESIRED: ({ currentTarget }) => currentTarget.desired,
    BOUNDS: ({ min, max }) => `${min}..${max}`,
    RECOMMENDED: recommendedOf,
  },
  'No autoscaler policies.',
)

const events = listOf<AutoscalerEvent>(
  {
    TIME: 'createdAt',
    EVENT: 'kind',
    FROM: ({ fromMin, fromMax, toMin }) => (toMin === null ? null : `${fromMin}..${fromMax}`),
    TO: ({ toMin, toMax }) => (toMin === null ? null : `${toMin}..${toMax}`),
    BY: 'appliedBy',
    REASON: 'reason',
  },
  'No events yet.',
)

const ofPolicy = { org, id: id('Policy', 'autoscaler list') }

const autoscalerCommand = (verb: 'apply' | 'pause' | 'resume' | 'remove', summary: string): Command =>
  routeCommand({
    name: `autoscaler ${verb}`,
    summary,
    takes: ofPolicy,
    route: `POST /autoscaler-policies/:policyID/${verb}`,
    ask: ({ id: policyID }) => ({ params: { policyID } }),
    show: (data: Policy) => ({ data, text: lineOf(data) }),
  })

export const autoscalerCommands: readonly Command[] = [
  routeCommand({
    name: 'autoscaler list',
    summary: 'List autoscaler policies by name',
    takes: {
      org,
      status: choice('STATUS', autoscalerStatuses, '; default: all except removed'),
      limit: limit(),
    },
    route: 'GET /autoscaler-policies',
    ask: ({ status, limit }) => ({ query: { status, limit } }),
    show: ({ items }: ListPage<Policy>) => list(items),
  }),
  routeCommand({
    name: 'autoscaler events',
    summary: 'List the events of an autoscaler policy, oldest first, including removed policies',
    takes: { ...ofPolicy, page: page, limit: limit() },
    route: 'GET /autoscaler-policies/:policyID/events',
    ask: ({ id: policyID, page, limit }) => ({ params: { policyID }, query: { page, limit } }),
    show: events,
  }),
  autoscalerCommand('apply', 'Apply the current recommendation of an autoscaler policy'),
  autoscalerCommand('pause', 'Pause an autoscaler policy: no recommendations, no changes'),
  autoscalerCommand('resume', 'Resume an autoscaler policy that is paused or in error'),
  autoscalerCommand('remove', 'Remove an autoscaler policy; its history is kept and its target is left unchanged'),
]

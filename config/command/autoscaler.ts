import { carriedOut } from '#config/command/route.ts'
import { required, UsageError, type Command, type Invocation, type Result } from '#config/command/command.ts'
import { countOf } from '#config/command/engine.ts'
import { withInstance, type Instance } from '#config/instance.ts'
import { autoscalerStatuses } from '#streams/autoscaling.ts'

const text = { type: 'string' } as const
const aboutOrg = { '--org ID': 'The organization' }
const aboutPolicy = { ...aboutOrg, '--id ID': 'As autoscaler list shows it' }
const limitMax = 100
const aboutLimit = { '--limit N': `How many at most; default 20, most ${limitMax}` }

interface Policy {
  id: string
  name: string
  mode: string
  effectiveMode: string
  status: string
  statusReason?: string
  target: { type: string; uid: string }
  min: number
  max: number
  currentTarget: { desired: number; cpuPercent: number | null }
  latestRecommendation?: { toMin: number; toMax: number; reason: string }
}

interface PolicyEvent {
  kind: string
  fromMin: number | null
  fromMax: number | null
  toMin: number | null
  toMax: number | null
  reason: string
  appliedBy: string | null
  createdAt: string
}

const lineOf = (policy: Policy): string => {
  const { id, status, statusReason, mode, effectiveMode, name, target, min, max, currentTarget, latestRecommendation } =
    policy
  const modes = mode === effectiveMode ? mode : `${effectiveMode} (of ${mode})`
  const wanted = latestRecommendation ? `  recommends ${latestRecommendation.toMin}..${latestRecommendation.toMax}` : ''
  const why = statusReason ? ` (${statusReason})` : ''
  return `${id}  ${status}${why}  ${modes}  ${target.uid}  ${currentTarget.desired} of ${min}..${max}${wanted}  ${name}`
}

function eventLine({ createdAt, kind, fromMin, fromMax, toMin, toMax, reason, appliedBy }: PolicyEvent): string {
  const bounds = toMin === null ? '' : `  ${fromMin}..${fromMax} to ${toMin}..${toMax}`
  return `${createdAt}  ${kind}${bounds}${appliedBy === null ? '' : `  by ${appliedBy}`}  ${reason}`.trimEnd()
}

interface Asking {
  name: string
  summary: string
  usage: string
  options?: Command['options']
  about?: Command['about']
  /** What it comes to; `orgId` is that of `--org`. */
  ask: (instance: Instance, orgId: string, values: Invocation['values']) => Promise<Result>
  /** Looks at what was typed before anything is opened. @throws UsageError */
  check?: (values: Invocation['values']) => void
}

function command({ name, summary, usage, options = {}, about = aboutOrg, ask, check }: Asking): Command {
  const whole = `tidemark autoscaler ${name} ${usage}`
  return {
    name: `autoscaler ${name}`,
    summary,
    usage: whole,
    options: { org: text, ...options },
    about,
    async run({ values }) {
      const orgId = required({ usage: whole }, values['org'], '--org')
      if ('id' in options) required({ usage: whole }, values['id'], '--id')
      check?.(values)
      return withInstance((instance) => ask(instance, orgId, values))
    },
  }
}

function limitOf({ limit = '20' }: Invocation['values']): string {
  const count = countOf(limit, limitMax)
  if (count === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
  return String(count)
}

function checkStatus({ status }: Invocation['values']): void {
  if (status !== undefined && !(autoscalerStatuses as readonly unknown[]).includes(status))
    throw new UsageError(`--status must be one of ${autoscalerStatuses.join(', ')}`)
}

const done = (verb: 'apply' | 'pause' | 'resume' | 'remove', summary: string): Command =>
  command({
    name: verb,
    summary,
    usage: '--org ID --id ID',
    options: { id: text },
    about: aboutPolicy,
    ask: async (instance, orgId, { id }) => {
      const given = { params: { policyID: String(id) } }
      const data = await carriedOut<Policy>(instance, orgId, `POST /autoscaler-policies/:policyID/${verb}`, given)
      return { data, text: lineOf(data) }
    },
  })

export const autoscalerCommands: readonly Command[] = [
  command({
    name: 'list',
    summary: 'List the autoscaler policies of an organization, by name',
    usage: '--org ID [--status STATUS] [--limit N]',
    options: { status: text, limit: text },
    about: {
      ...aboutOrg,
      '--status STATUS': `One of ${autoscalerStatuses.join(', ')}; all but removed unless given`,
      ...aboutLimit,
    },
    check: (values) => {
      checkStatus(values)
      limitOf(values)
    },
    ask: async (instance, orgId, values) => {
      const status = values['status']
      const query = { ...(typeof status === 'string' && { status }), limit: limitOf(values) }
      const { items: data } = await carriedOut<{ items: Policy[] }>(instance, orgId, 'GET /autoscaler-policies', {
        query,
      })
      return { data, text: data.map(lineOf).join('\n') || 'There is no autoscaler policy.' }
    },
  }),
  command({
    name: 'events',
    summary: 'Say what an autoscaler policy did, the oldest first; of removed ones too',
    usage: '--org ID --id ID [--page N] [--limit N]',
    options: { id: text, page: text, limit: text },
    about: { ...aboutPolicy, '--page N': 'Counts from 1', ...aboutLimit },
    check: (values) => {
      limitOf(values)
      if (countOf(values['page'] ?? '1', 1_000_000_000) === undefined)
        throw new UsageError('--page must be a whole number from 1 on')
    },
    ask: async (instance, orgId, values) => {
      const given = {
        params: { policyID: String(values['id']) },
        query: { page: String(values['page'] ?? '1'), limit: limitOf(values) },
      }
      const data = await carriedOut<PolicyEvent[]>(instance, orgId, 'GET /autoscaler-policies/:policyID/events', given)
      return { data, text: data.map(eventLine).join('\n') || 'It has done nothing yet.' }
    },
  }),
  done('apply', 'Do what an autoscaler policy recommends'),
  done('pause', 'Let an autoscaler policy rest: it says and changes nothing'),
  done('resume', 'Let an autoscaler policy go on that rests, or that is in error'),
  done('remove', 'Remove an autoscaler policy; what it did stays, and its target as it is'),
]

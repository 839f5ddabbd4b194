import { carriedOut } from '#config/command/line/route.ts'
import {
  aboutOrg,
  requireValue,
  requireOrg,
  UsageError,
  type Command,
  type Invocation,
  type Result,
} from '#config/command/line/command.ts'
import { countOf, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'
import { autoscalerStatuses } from '#streams/autoscaling.ts'

const text = { type: 'string' } as const
const aboutPolicy = { ...aboutOrg, '--id ID': 'Policy ID from "autoscaler list"' }
const limitMax = 100
const aboutLimit = { '--limit N': `Maximum number of rows, 1 to ${limitMax}; default 20` }

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
  const modes = mode === effectiveMode ? mode : `${effectiveMode} (requested ${mode})`
  const wanted = latestRecommendation ? `  recommends ${latestRecommendation.toMin}..${latestRecommendation.toMax}` : ''
  const why = statusReason ? ` (${statusReason})` : ''
  return `${id}  ${status}${why}  ${modes}  ${target.uid}  ${currentTarget.desired} of ${min}..${max}${wanted}  ${name}`
}

const header = ['ID', 'NAME', 'STATUS', 'MODE', 'TARGET', 'DESIRED', 'BOUNDS', 'RECOMMENDED']

const rowOf = (policy: Policy) => {
  const {
    id,
    status,
    mode,
    effectiveMode,
    name,
    target,
    min,
    max,
    currentTarget,
    latestRecommendation: wanted,
  } = policy
  const modes = mode === effectiveMode ? mode : `${effectiveMode} (requested ${mode})`
  const recommended = wanted && `${wanted.toMin}..${wanted.toMax}`
  return [id, name, status, modes, target.uid, currentTarget.desired, `${min}..${max}`, recommended]
}

const eventHeader = ['TIME', 'EVENT', 'FROM', 'TO', 'BY', 'REASON']

const eventRow = ({ createdAt, kind, fromMin, fromMax, toMin, toMax, reason, appliedBy }: PolicyEvent) =>
  toMin === null
    ? [createdAt, kind, null, null, appliedBy, reason]
    : [createdAt, kind, `${fromMin}..${fromMax}`, `${toMin}..${toMax}`, appliedBy, reason]

interface CommandSpec {
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

function command({ name, summary, usage, options = {}, about = aboutOrg, ask, check }: CommandSpec): Command {
  const whole = `tidemark autoscaler ${name} ${usage}`
  return {
    name: `autoscaler ${name}`,
    summary,
    usage: whole,
    options: { org: text, ...options },
    about,
    async run({ values }) {
      const named = requireOrg({ usage: whole }, values['org'])
      if ('id' in options) requireValue({ usage: whole }, values['id'], '--id')
      check?.(values)
      return withOrganization(named, (instance, orgId) => ask(instance, orgId, values))
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

const autoscalerCommand = (verb: 'apply' | 'pause' | 'resume' | 'remove', summary: string): Command =>
  command({
    name: verb,
    summary,
    usage: '--org ORG --id ID',
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
    summary: 'List autoscaler policies by name',
    usage: '--org ORG [--status STATUS] [--limit N]',
    options: { status: text, limit: text },
    about: {
      ...aboutOrg,
      '--status STATUS': `One of ${autoscalerStatuses.join(', ')}; default: all except removed`,
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
      return { data, text: table(header, data.map(rowOf), 'No autoscaler policies.') }
    },
  }),
  command({
    name: 'events',
    summary: 'List the events of an autoscaler policy, oldest first, including removed policies',
    usage: '--org ORG --id ID [--page N] [--limit N]',
    options: { id: text, page: text, limit: text },
    about: { ...aboutPolicy, '--page N': 'Page number, starting at 1', ...aboutLimit },
    check: (values) => {
      limitOf(values)
      if (countOf(values['page'] ?? '1', 1_000_000_000) === undefined)
        throw new UsageError('--page must be a whole number of 1 or more')
    },
    ask: async (instance, orgId, values) => {
      const given = {
        params: { policyID: String(values['id']) },
        query: { page: String(values['page'] ?? '1'), limit: limitOf(values) },
      }
      const data = await carriedOut<PolicyEvent[]>(instance, orgId, 'GET /autoscaler-policies/:policyID/events', given)
      return { data, text: table(eventHeader, data.map(eventRow), 'No events yet.') }
    },
  }),
  autoscalerCommand('apply', 'Apply the current recommendation of an autoscaler policy'),
  autoscalerCommand('pause', 'Pause an autoscaler policy: no recommendations, no changes'),
  autoscalerCommand('resume', 'Resume an autoscaler policy that is paused or in error'),
  autoscalerCommand('remove', 'Remove an autoscaler policy; its history is kept and its target is left unchanged'),
]

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
import { provisioningPhases } from '#streams/catalog.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'

const text = { type: 'string' } as const
const aboutJob = { ...aboutOrg, '--id ID': 'Job ID from "provisioning list"' }
const limitMax = 100
const aboutLimit = { '--limit N': `Maximum number of rows, 1 to ${limitMax}; default 20` }

interface Space {
  id: string
  name: string
  cloudAccountID: string
  provider: string
  region: string
  kind: string
  clusterUid?: string
  status: string
}

interface Failure {
  bucket: string
  message: string
  fixHint?: string
  consoleUrl?: string
  stepName: string
}

interface Job {
  id: string
  kind: string
  name: string
  phase: string
  currentStep?: string
  steps: { name: string; status: string; attempts: number; error?: Failure }[]
  error?: Failure
  expiresAt?: string
}

const spaceHeader = ['ID', 'NAME', 'STATUS', 'PROVIDER', 'REGION', 'ACCOUNT', 'CLUSTER']

const spaceRow = ({ id, status, provider, region, cloudAccountID, clusterUid, name }: Space) => [
  id,
  name,
  status,
  provider,
  region,
  cloudAccountID,
  clusterUid,
]

const jobHeader = ['ID', 'NAME', 'KIND', 'PHASE', 'STEP', 'EXPIRES']

const jobRow = ({ id, phase, currentStep, kind, name, expiresAt }: Job) => [
  id,
  name,
  kind,
  phase,
  currentStep,
  expiresAt,
]

const lineOf = ({ id, phase, currentStep, kind, name, expiresAt }: Job): string =>
  `${id}  ${phase}${currentStep === undefined ? '' : ` (${currentStep})`}  ${kind}  ${name}${expiresAt === undefined ? '' : `  expires ${expiresAt}`}`

/** What went wrong, and what to do about it. */
const failureLines = ({ stepName, bucket, message, fixHint, consoleUrl }: Failure): string[] => [
  `${stepName} failed (${bucket}): ${message}`,
  ...(fixHint === undefined ? [] : [fixHint]),
  ...(consoleUrl === undefined ? [] : [consoleUrl]),
]

const paragraphs = (job: Job): string =>
  [
    lineOf(job),
    ...job.steps.map(
      ({ status, name, attempts }) => `${status}  ${name}${attempts > 1 ? `  ${attempts} attempts` : ''}`,
    ),
    ...(job.error ? failureLines(job.error) : []),
  ].join('\n')

interface CommandSpec {
  name: string
  summary: string
  usage: string
  options?: Command['options']
  about?: Command['about']
  ask: (instance: Instance, orgId: string, values: Invocation['values']) => Promise<Result>
  /** Looks at what was typed before anything is opened. @throws UsageError */
  check?: (values: Invocation['values']) => void
}

function command({ name, summary, usage, options = {}, about = aboutOrg, ask, check }: CommandSpec): Command {
  const whole = `tidemark ${name} ${usage}`
  return {
    name,
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

/** @throws UsageError */
function limitOf({ limit = '20' }: Invocation['values']): string {
  const count = countOf(limit, limitMax)
  if (count === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
  return String(count)
}

/** What narrows the list. @throws UsageError */
function listQuery(values: Invocation['values']): Record<string, string> {
  const oneOf = (name: 'kind' | 'phase', words: readonly string[]): Record<string, string> => {
    const given = values[name]
    if (given === undefined) return {}
    if (!words.includes(String(given))) throw new UsageError(`--${name} must be one of ${words.join(', ')}`)
    return { [name]: String(given) }
  }
  return {
    limit: limitOf(values),
    ...oneOf('kind', provisioningKinds),
    ...oneOf('phase', provisioningPhases),
    ...(values['space'] !== undefined && { space_id: String(values['space']) }),
  }
}

const ofJob = (verb: 'show' | 'retry' | 'delete', summary: string, path: string): Command =>
  command({
    name: `provisioning ${verb}`,
    summary,
    usage: '--org ORG --id ID',
    options: { id: text },
    about: aboutJob,
    ask: async (instance, orgId, { id }) => {
      const data = await carriedOut<Job>(instance, orgId, path, { params: { id: String(id) } })
      return { data, text: verb === 'show' ? paragraphs(data) : lineOf(data) }
    },
  })

export const provisioningCommands: readonly Command[] = [
  command({
    name: 'space list',
    summary: 'List spaces by name',
    usage: '--org ORG [--limit N]',
    options: { limit: text },
    about: { ...aboutOrg, ...aboutLimit },
    check: limitOf,
    ask: async (instance, orgId, values) => {
      const query = { limit: limitOf(values) }
      const { items: data } = await carriedOut<{ items: Space[] }>(instance, orgId, 'GET /spaces', { query })
      return { data, text: table(spaceHeader, data.map(spaceRow), 'No spaces.') }
    },
  }),
  command({
    name: 'provisioning list',
    summary: 'List provisioning jobs, newest first',
    usage: '--org ORG [--space ID] [--kind KIND] [--phase PHASE] [--limit N]',
    options: { space: text, kind: text, phase: text, limit: text },
    about: {
      ...aboutOrg,
      '--space ID': 'Space ID from "space list"; default: all',
      '--kind KIND': `One of ${provisioningKinds.join(', ')}; default: all`,
      '--phase PHASE': `One of ${provisioningPhases.join(', ')}; default: all`,
      ...aboutLimit,
    },
    check: listQuery,
    ask: async (instance, orgId, values) => {
      const asked = { query: listQuery(values) }
      const { items: data } = await carriedOut<{ items: Job[] }>(instance, orgId, 'GET /provisioning-jobs', asked)
      return { data, text: table(jobHeader, data.map(jobRow), 'No provisioning jobs.') }
    },
  }),
  ofJob('show', 'Show the progress and errors of a provisioning job', 'GET /provisioning-jobs/:id'),
  ofJob(
    'retry',
    'Retry a failed provisioning job from the first step that did not succeed',
    'POST /provisioning-jobs/:id/retry',
  ),
  ofJob('delete', 'Delete what a provisioning job created', 'DELETE /provisioning-jobs/:id'),
]

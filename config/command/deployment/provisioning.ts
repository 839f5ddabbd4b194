import { routeCommand } from '#config/command/line/build.ts'
import type { Command, Result } from '#config/command/line/command.ts'
import { choice, id, limit, optional, org } from '#config/command/line/flag.ts'
import type { ListPage } from '#config/command/line/api.ts'
import { listOf } from '#config/command/line/table.ts'
import type { showJob, showSpace } from '#http/catalog/body.ts'
import { provisioningPhases } from '#streams/catalog.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'

type Space = ReturnType<typeof showSpace>
type Job = ReturnType<typeof showJob>

const spaces = listOf<Space>(
  {
    ID: 'id',
    NAME: 'name',
    STATUS: 'status',
    PROVIDER: 'provider',
    REGION: 'region',
    ACCOUNT: 'cloudAccountID',
    CLUSTER: 'clusterUid',
  },
  'No spaces.',
)

const jobs = listOf<Job>(
  { ID: 'id', NAME: 'name', KIND: 'kind', PHASE: 'phase', STEP: 'currentStep', EXPIRES: 'expiresAt' },
  'No provisioning jobs.',
)

const lineOf = ({ id, phase, currentStep, kind, name, expiresAt }: Job): string =>
  `${id}  ${phase}${currentStep === undefined ? '' : ` (${currentStep})`}  ${kind}  ${name}${expiresAt === undefined ? '' : `  expires ${expiresAt}`}`

/** What went wrong, and what to do about it. */
const failureLines = ({ stepName, bucket, message, fixHint, consoleUrl }: NonNullable<Job['error']>): string[] => [
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

const show = (data: Job): Result => ({ data, text: lineOf(data) })

/** One route of one job. */
const ofJob = (verb: string, summary: string, route: string, print: (job: Job) => Result): Command =>
  routeCommand({
    name: `provisioning ${verb}`,
    summary,
    takes: { org, id: id('Job', 'provisioning list') },
    route,
    ask: ({ id }) => ({ params: { id } }),
    show: print,
  })

export const provisioningCommands: readonly Command[] = [
  routeCommand({
    name: 'space list',
    summary: 'List spaces by name',
    takes: { org, limit: limit() },
    route: 'GET /spaces',
    ask: ({ limit }) => ({ query: { limit } }),
    show: ({ items }: ListPage<Space>) => spaces(items),
  }),
  routeCommand({
    name: 'provisioning list',
    summary: 'List provisioning jobs, newest first',
    takes: {
      org,
      space: optional('ID', 'Space ID from "space list"; default: all'),
      kind: choice('KIND', provisioningKinds, '; default: all'),
      phase: choice('PHASE', provisioningPhases, '; default: all'),
      limit: limit(),
    },
    route: 'GET /provisioning-jobs',
    ask: ({ space: space_id, kind, phase, limit }) => ({ query: { space_id, kind, phase, limit } }),
    show: ({ items }: ListPage<Job>) => jobs(items),
  }),
  ofJob('show', 'Show the progress and errors of a provisioning job', 'GET /provisioning-jobs/:id', (data) => ({
    data,
    text: paragraphs(data),
  })),
  ofJob(
    'retry',
    'Retry a failed provisioning job from the first step that did not succeed',
    'POST /provisioning-jobs/:id/retry',
    show,
  ),
  ofJob('delete', 'Delete what a provisioning job created', 'DELETE /provisioning-jobs/:id', show),
]

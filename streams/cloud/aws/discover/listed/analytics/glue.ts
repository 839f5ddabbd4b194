import type { Job, Session } from '@aws-sdk/client-glue'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { arnOf, orNull, timeOf, type Where } from '#streams/cloud/aws/map/resource.ts'

const jobArn = ({ Name }: Job, where: Where) => Name && arnOf('glue', where, `job/${Name}`)
const sessionArn = ({ Id }: Session, where: Where) => Id && arnOf('glue', where, `session/${Id}`)

const tagsOf = (place: RegionScan, ResourceArn: string | undefined) =>
  also(place, 'tags', () => place.ask('glue', (m) => new m.GetTagsCommand({ ResourceArn })))

export const glueJobs = listType('glue', {
  type: 'aws-glue-job',
  permissions: ['glue:GetJobs', 'glue:GetTags'],
  list: (m, NextToken) => new m.GetJobsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Jobs }) => Jobs,
  detail: (job, place) => tagsOf(place, jobArn(job, place)),
  uid: jobArn,
  fields: ({ Name, WorkerType, NumberOfWorkers }, _, tags) => ({
    name: Name,
    instanceType: WorkerType,
    unitCount: NumberOfWorkers,
    tags: tags?.Tags,
  }),
  specs: {
    created_at: ({ CreatedOn }) => timeOf(CreatedOn),
    // Only Spark jobs have a class; without one they run as STANDARD.
    execution_class: ({ ExecutionClass, Command }) =>
      ExecutionClass ?? (Command?.Name === 'glueetl' ? 'STANDARD' : null),
    glue_version: ({ GlueVersion }) => orNull(GlueVersion),
    worker_count: ({ NumberOfWorkers }) => orNull(NumberOfWorkers),
    auto_scaling: ({ DefaultArguments, NonOverridableArguments }) =>
      [DefaultArguments, NonOverridableArguments].some((them) => them?.['--enable-auto-scaling'] === 'true'),
    job_type: ({ Command }) => Command?.Name,
  },
})

/** Sessions that ended are listed for a while, but hold nothing. */
const endedStates: readonly string[] = ['FAILED', 'TIMEOUT', 'STOPPED']

export const glueSessions = listType('glue', {
  type: 'aws-glue-session',
  permissions: ['glue:ListSessions', 'glue:GetTags'],
  list: (m, NextToken) => new m.ListSessionsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Sessions }) => Sessions,
  isOwn: ({ Status }) => !endedStates.includes(Status ?? ''),
  detail: (session, place) => tagsOf(place, sessionArn(session, place)),
  uid: sessionArn,
  fields: ({ Id, Status, WorkerType, NumberOfWorkers }, _, tags) => ({
    name: Id,
    state: Status,
    instanceType: WorkerType,
    unitCount: NumberOfWorkers,
    tags: tags?.Tags,
  }),
  specs: {
    created_at: ({ CreatedOn }) => timeOf(CreatedOn),
    state: ({ Status }) => Status,
    idle_timeout_minutes: ({ IdleTimeout }) => orNull(IdleTimeout),
    capacity_dpu: ({ MaxCapacity }) => MaxCapacity,
  },
})

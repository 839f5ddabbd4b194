import { t } from '#engine/value/schema.ts'
import { count, Labels, list, some, text, texts } from '#streams/cloud/gcp/answer/field.ts'
import { also, listType, pagesOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'

const Job = t.Object({
  id: t.String(),
  name: text,
  type: text,
  location: t.String(),
  currentState: text,
  createTime: text,
  labels: Labels,
  environment: some({
    experiments: texts,
    flexResourceSchedulingGoal: text,
    workerPools: list(t.Object({ autoscalingSettings: some({ maxNumWorkers: count }) })),
  }),
})

const streamingEngine = ['enable_streaming_engine', 'enable_windmill_service']

/** Lists leave out how a job runs. */
export const dataflowJobs = listType(
  pagesOf(
    (project) => ({
      service: 'dataflow',
      path: `/projects/${project}/jobs:aggregated`,
      query: { filter: 'ACTIVE' },
      permission: 'dataflow.jobs.list',
    }),
    'jobs',
    Job,
  ),
  {
    type: 'gcp-dataflow-job',
    permissions: ['dataflow.jobs.list', 'dataflow.jobs.get'],
    detail: async ({ id, location }, place) => {
      const call = {
        service: 'dataflow',
        path: `/projects/${place.project}/locations/${location}/jobs/${id}`,
        query: { view: 'JOB_VIEW_ALL' },
        permission: 'dataflow.jobs.get',
      } as const
      return (await also(place, call.permission, () => place.ask(call, Job)))?.environment
    },
    uid: ({ id, location }, place) =>
      uidIn('dataflow', `projects/${place.project}/locations/${location}/jobs/${id}`, place),
    fields: ({ id, name, location, currentState, labels }) => ({
      name: name ?? id,
      region: location,
      state: currentState,
      labels,
    }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      job_type: ({ type }) => type?.replace('JOB_TYPE_', ''),
      state: ({ currentState }) => currentState,
      max_workers: (_, how) => how?.workerPools?.[0]?.autoscalingSettings?.maxNumWorkers,
      streaming_engine: (_, how) => how && (how.experiments ?? []).some((one) => streamingEngine.includes(one)),
      flexrs: (_, how) => how && (how.flexResourceSchedulingGoal ?? 'FLEXRS_UNSPECIFIED') !== 'FLEXRS_UNSPECIFIED',
    },
  },
)

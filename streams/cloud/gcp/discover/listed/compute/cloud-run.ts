import { t } from '#engine/value/schema.ts'
import { count, Labels, list, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { IamPolicy } from '#streams/cloud/gcp/answer/service.ts'
import { also, listType, pagesOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { mebibytesOf, processorsOf } from '#streams/cloud/gcp/map/quantity.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { isEverybody } from '#streams/cloud/gcp/map/service.ts'

const Metadata = t.Object({ name: t.String(), creationTimestamp: text, labels: Labels, annotations: Labels })
const Service = t.Object({
  metadata: Metadata,
  spec: some({
    template: some({
      metadata: some({ annotations: Labels }),
      spec: some({
        containerConcurrency: count,
        containers: list(t.Object({ resources: some({ limits: Labels }) })),
      }),
    }),
  }),
})
type Service = { metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> } }

/** The list of version 1 alone answers for all regions. */
const regionOf = ({ metadata }: Service): string => metadata.labels?.['cloud.googleapis.com/location'] ?? ''
const pathOf = (one: Service, project: string) =>
  `projects/${project}/locations/${regionOf(one)}/services/${one.metadata.name}`

export const cloudRunServices = listType(
  pagesOf(
    (project) => ({
      service: 'run',
      path: `/projects/${project}/locations/-/services`,
      permission: 'run.services.list',
    }),
    'items',
    Service,
  ),
  {
    type: 'gcp-cloud-run',
    permissions: ['run.services.list', 'run.services.getIamPolicy'],
    // Functions are found as such.
    isOwn: ({ metadata }) => metadata.labels?.['goog-managed-by'] !== 'cloudfunctions',
    detail: (one, place) => {
      const path = `/${pathOf(one, place.project)}:getIamPolicy`
      const call = { service: 'run', path, permission: 'run.services.getIamPolicy' } as const
      return also(place, 'run.services.getIamPolicy', () => place.ask(call, IamPolicy))
    },
    uid: (one, place) => uidIn('run', pathOf(one, place.project), place),
    fields: (one) => ({ name: one.metadata.name, region: regionOf(one), labels: ownLabels(one.metadata.labels) }),
    specs: {
      created_at: ({ metadata }) => timeOf(metadata.creationTimestamp),
      min_instances: ({ metadata, spec }) =>
        Number(
          metadata.annotations?.['run.googleapis.com/minScale'] ??
            spec?.template?.metadata?.annotations?.['autoscaling.knative.dev/minScale'] ??
            0,
        ),
      cpu_always_allocated: ({ spec }) =>
        spec?.template?.metadata?.annotations?.['run.googleapis.com/cpu-throttling'] === 'false',
      memory_mib: ({ spec }) => mebibytesOf(spec?.template?.spec?.containers?.[0]?.resources?.limits?.['memory']),
      cpu: ({ spec }) => processorsOf(spec?.template?.spec?.containers?.[0]?.resources?.limits?.['cpu']),
      public: (_, policy) => policy && (policy.bindings ?? []).some(({ members = [] }) => members.some(isEverybody)),
    },
  },
)

/** Without those that Google adds. */
const ownLabels = (labels: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !name.includes('googleapis.com/')))

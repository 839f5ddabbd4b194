import { t } from '#engine/value/schema.ts'
import { count, Labels, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { allOf, also, listType, onceIn, pagesOf, partOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { lastOf, regionIn } from '#streams/cloud/gcp/resource-path.ts'

const Cluster = t.Object({
  name: t.String(),
  location: text,
  state: text,
  serveNodes: count,
  defaultStorageType: text,
  clusterConfig: some({ clusterAutoscalingConfig: some({}) }),
})
const Instance = t.Object({ name: t.String(), labels: Labels })

/** Labels belong to instances, by their name. */
const labelsByInstance = onceIn((place) =>
  also(place, 'bigtable.instances.list', async () => {
    const path = `/projects/${place.project}/instances`
    const call = { service: 'bigtableadmin', path, permission: 'bigtable.instances.list' } as const
    const found = await allOf(place, call, 'instances', Instance)
    return new Map(found.map(({ name, labels }) => [lastOf(name), labels]))
  }),
)

export const bigtableClusters = listType(
  pagesOf(
    (project) => ({
      service: 'bigtableadmin',
      path: `/projects/${project}/instances/-/clusters`,
      permission: 'bigtable.clusters.list',
    }),
    'clusters',
    Cluster,
  ),
  {
    type: 'gcp-bigtable',
    permissions: ['bigtable.clusters.list', 'bigtable.instances.list'],
    detail: async ({ name }, place) => (await labelsByInstance(place))?.get(partOf(name, 'instances') ?? ''),
    uid: ({ name }, place) => uidIn('bigtable', name, place),
    fields: ({ name, location, serveNodes }, labels) => ({
      name: lastOf(name),
      region: regionIn(location),
      zone: lastOf(location) || undefined,
      unitCount: serveNodes,
      labels,
    }),
    specs: {
      state: ({ state }) => state,
      instance: ({ name }) => partOf(name, 'instances'),
      node_count: ({ serveNodes }) => serveNodes,
      autoscaling: ({ clusterConfig }) => clusterConfig?.clusterAutoscalingConfig !== undefined,
      storage_type: ({ defaultStorageType }) => defaultStorageType,
    },
  },
)

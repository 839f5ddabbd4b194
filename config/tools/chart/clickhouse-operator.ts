import { documentOf, documentsOf, get, Template, type Tree } from './manifest.ts'
import { container, pod } from './part.ts'
import { placeWorkload } from './workload.ts'

/** The server of `clickhouse.yaml` as Altinity's operator runs it: the same pod, volume, files and service name. */
export function clickhouseInstallation(): string {
  const template = new Template()
  const server = documentOf('clickhouse.yaml', 'StatefulSet')
  placeWorkload(template, server, 'clickhouse')
  const inside = get(server, pod) as Tree
  const own = get(inside, container) as Tree
  // The operator mounts the files itself and creates the user; the image creates the database.
  own['env'] = [
    { name: 'CLICKHOUSE_DB', value: 'tidemark' },
    { name: 'CLICKHOUSE_SKIP_USER_SETUP', value: '1' },
  ]
  own['volumeMounts'] = [{ name: 'data', mountPath: '/var/lib/clickhouse' }]
  delete (inside['spec'] as Tree)['volumes']
  const [config] = documentsOf('clickhouse.yaml')
  const files = get(config, ['data']) as Record<string, string>
  const password = { name: template.inline('.Values.storesSecret | quote'), key: 'CLICKHOUSE_PASSWORD' }
  const installation = {
    apiVersion: 'clickhouse.altinity.com/v1',
    kind: 'ClickHouseInstallation',
    metadata: { name: 'clickhouse' },
    spec: {
      defaults: {
        templates: { podTemplate: 'server', dataVolumeClaimTemplate: 'data', serviceTemplate: 'server' },
      },
      configuration: {
        users: {
          'tidemark/password': { valueFrom: { secretKeyRef: password } },
          'tidemark/access_management': 1,
          'tidemark/networks/ip': '::/0',
          'tidemark/profile': 'default',
        },
        files: {
          'config.d/durability.xml': files['durability.xml'],
          'users.d/profile.xml': files['profile.xml'],
        },
        clusters: [{ name: 'tidemark', layout: { shardsCount: 1, replicasCount: 1 } }],
      },
      templates: {
        podTemplates: [{ name: 'server', ...inside }],
        serviceTemplates: [
          {
            name: 'server',
            generateName: 'clickhouse',
            spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 8123 }] },
          },
        ],
        volumeClaimTemplates: [{ name: 'data', spec: get(server, ['spec', 'volumeClaimTemplates', 0, 'spec']) }],
      },
    },
  }
  return template.print(installation)
}

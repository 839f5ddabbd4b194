import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { load, loadAll } from 'js-yaml'
import { chartOf, dashboards } from '#config/tools/chart.ts'
import { root } from '#config/process/root.ts'
import { settings } from '#config/settings/settings.ts'
import { version } from '#config/process/version.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { deepIt } from '#test/harness/tier.ts'

const manifest = (name: string) => readFileSync(path.join(root, 'config/deploy', name), 'utf8')
const { resources } = load(manifest('kustomization.yaml')) as { resources: string[] }
const objects = (texts: string[]) =>
  Object.fromEntries(
    texts
      .flatMap((text) => loadAll(text) as any[])
      .filter((one) => one)
      .map((one) => [`${one.kind} ${one.metadata.name}`, one]),
  )

describe('the Helm chart', () => {
  const files = chartOf()
  const values = load(files['values.yaml']!) as any

  it('has a template of every manifest that is applied, but for the namespace, which Helm makes', () => {
    const applied = resources.filter((name) => name !== 'namespace.yaml').map((name) => `templates/${name}`)
    expect(Object.keys(files)).to.include.members(applied)
  })

  it('sets what the manifests set, under settings that exist', () => {
    expect(values.settings).to.deep.equal((load(manifest('settings.yaml')) as any).data)
    const known = new Set(Object.values(settings).map(({ name }) => name))
    expect(Object.keys(values.settings).filter((name) => !known.has(name))).to.deep.equal([])
    expect(load(files['Chart.yaml']!)).to.include({ name: 'tidemark', version, appVersion: version })
  })

  const accepts = new Ajv({ strict: false }).compile(JSON.parse(files['values.schema.json']!))
  /** A value of values.yaml replaced: its path, with dots. */
  const changed = (name: string, value: unknown) => {
    const copy = structuredClone(values)
    const path = name.split('.')
    path.slice(0, -1).reduce((inside, key) => inside[key], copy)[path.at(-1)!] = value
    return copy
  }
  /** What the schema lists below a name, and what values.yaml has there; not what Kubernetes defines. */
  const namesOf = (schema: any, value: any, name = ''): string[] =>
    schema.additionalProperties === false && value
      ? [...new Set([...Object.keys(schema.properties), ...Object.keys(value)])]
          .filter((key) => !(key in (schema.properties ?? {})) || !(key in value))
          .map((key) => `${name}.${key}`)
          .concat(
            Object.keys(value).flatMap((key) => namesOf(schema.properties[key] ?? {}, value[key], `${name}.${key}`)),
          )
      : []

  it('has a schema of exactly the values there are', () => {
    expect(accepts(values), JSON.stringify(accepts.errors)).to.equal(true)
    const missing = namesOf(JSON.parse(files['values.schema.json']!), values)
    const optional = /^\.global$|\.resources\.|\.podDisruptionBudget\./
    expect(missing.filter((name) => !optional.test(name))).to.deep.equal([])
  })

  for (const [name, value] of [
    ['engine.replica', 2],
    ['engine.replicas', '2'],
    ['engine.replicas', -1],
    ['engine.autoscaling.kind', 'vpa'],
    ['engine.resources', { request: { cpu: 1 } }],
    ['engine.nodeSelector', { zone: 1 }],
    ['edge.podDisruptionBudget', { minAvailable: 1, maxUnavailable: 1 }],
    ['nats.tolerations', {}],
    ['networkPolicies', 'yes'],
    ['settings.PORT', 8080],
    ['settings.PORTS', '8080'],
  ] as const)
    it(`refuses ${name}: ${JSON.stringify(value)}`, () => {
      expect(accepts(changed(name, value))).to.equal(false)
    })

  it('uses every value, and none that does not exist', () => {
    const texts = Object.entries(files).flatMap(([name, text]) => (name.startsWith('templates/') ? [text] : []))
    const used = new Set(texts.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, name]) => name!)))
    const exists = (name: string) => name.split('.').reduce((inside: any, key) => inside?.[key], values) !== undefined
    expect([...used].filter((name) => !exists(name))).to.deep.equal([])
    const parts = ['engine', 'edge', 'nats', 'postgres', 'clickhouse']
    const unused = parts.flatMap((part) =>
      Object.keys(values[part])
        .map((key) => `${part}.${key}`)
        .filter((name) => ![...used].some((one) => one === name || one.startsWith(`${name}.`))),
    )
    expect(unused).to.deep.equal([])
  })

  it('is written where nothing else is, and over an older one of its own', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-chart-'))
    const written = await inProcess({}, 'chart', dir)
    expect([written.code, readFileSync(path.join(dir, 'values.yaml'), 'utf8')]).to.deep.equal([0, files['values.yaml']])
    expect((await inProcess({}, 'chart', dir)).code).to.equal(0)
    rmSync(path.join(dir, 'Chart.yaml'))
    const refused = await inProcess({}, 'chart', dir)
    expect([refused.code, refused.stderr.includes('contains other files')]).to.deep.equal([1, true])
    rmSync(dir, { recursive: true })
  })

  const has = (command: string) =>
    (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, command)))
  if (!has('helm')) it.skip('helm: SKIPPED, there is none here')
  else
    describe('before helm', () => {
      const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-chart-'))
      before(() => inProcess({}, 'chart', dir))
      after(() => rmSync(dir, { recursive: true }))
      const rendered = (...more: string[]) =>
        objects([execFileSync('helm', ['template', 'tidemark', dir, ...more], { encoding: 'utf8', stdio: 'pipe' })])

      const renderedWith = (given: object) => {
        const file = `${dir}.json`
        writeFileSync(file, JSON.stringify(given))
        try {
          return rendered('--values', file)
        } finally {
          rmSync(file)
        }
      }
      const operators = {
        postgres: { storage: { size: '70Gi', storageClass: 'fast' } },
        operators: { postgres: { enabled: true }, clickhouse: { enabled: true } },
      }

      it('is without a finding', () => {
        const { status, stdout } = spawnSync('helm', ['lint', '--strict', dir], { encoding: 'utf8' })
        expect(status, stdout).to.equal(0)
      })

      it('makes exactly what the manifests make, unless values say else', () => {
        const applied = resources.filter((name) => name !== 'namespace.yaml').map(manifest)
        expect(rendered()).to.deep.equal(objects(applied))
      })

      it('takes image, secret, numbers, stores of others, settings, an ingress, alerts and dashboards', () => {
        const made = renderedWith({
          image: 'registry.example.com/tidemark@sha256:1',
          secret: 'ours',
          settings: { TIDEMARK_LANES: '32', MAIL_FROM: `{{ "Ana" }} 'quoted' <a@example.com>` },
          engine: { replicas: 5 },
          edge: { maxReplicas: 9, exports: { storageClass: 'nfs' } },
          stores: { postgres: false, clickhouse: false },
          networkPolicies: false,
          ingress: { enabled: true, host: 'costs.example.com', tlsSecret: 'tls' },
          prometheusRule: true,
          grafanaDashboards: { enabled: true },
        })
        const names = Object.keys(made)
        expect(names.filter((name) => /postgres|clickhouse|NetworkPolicy/.test(name))).to.deep.equal([])
        expect(names).to.include.members(['StatefulSet nats', 'Ingress edge', 'PrometheusRule tidemark'])
        const { replicas, template } = made['Deployment engine'].spec
        const [container] = template.spec.containers
        expect([replicas, container.image, container.envFrom[1].secretRef.name]).to.deep.equal([
          5,
          'registry.example.com/tidemark@sha256:1',
          'ours',
        ])
        expect(made['HorizontalPodAutoscaler edge'].spec.maxReplicas).to.equal(9)
        expect(made['PersistentVolumeClaim exports'].spec.storageClassName).to.equal('nfs')
        expect(made['ConfigMap tidemark'].data).to.include({
          MAIL_FROM: `{{ "Ana" }} 'quoted' <a@example.com>`,
          PORT: '8080',
        })
        expect(JSON.stringify(made['ConfigMap nats'] ?? made['ConfigMap nats-config'])).to.contain('partition(32,2,3)')
        expect(made['Ingress edge'].spec.tls).to.deep.equal([{ hosts: ['costs.example.com'], secretName: 'tls' }])
        const boards = made['ConfigMap tidemark-dashboards']
        expect(boards.metadata.labels).to.deep.equal({ grafana_dashboard: '1' })
        for (const name of dashboards) expect(boards.data[name]).to.equal(manifest(`grafana/${name}`))
        const rules = (load(manifest('prometheus-rules.yaml')) as any).groups
        expect(made['PrometheusRule tidemark'].spec.groups.length).to.equal(rules.length)
        expect(JSON.stringify(made['PrometheusRule tidemark']))
          .to.contain('< 32')
          .and.to.contain('{{ $labels.instance }}')
      })

      it('places what runs, with its own names of secrets, and its service account', () => {
        const zone = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' }
        const made = renderedWith({
          imagePullSecrets: [{ name: 'registry' }],
          storesSecret: 'passwords',
          natsUsersSecret: 'users',
          serviceAccount: { create: true, annotations: { role: 'arn' } },
          environment: { AWS_REGION: 'eu-west-1' },
          engine: {
            startupProbe: null,
            resources: { limits: { memory: '4Gi' } },
            podLabels: { 'azure.workload.identity/use': 'true' },
            podDisruptionBudget: { maxUnavailable: null, minAvailable: '50%' },
          },
          nats: {
            nodeSelector: { pool: 'stores' },
            tolerations: [{ key: 'stores', operator: 'Exists' }],
            topologySpreadConstraints: [zone],
            storage: { size: '80Gi', storageClass: 'fast' },
          },
        })
        const engine = made['Deployment engine'].spec.template
        expect(engine.metadata.labels).to.deep.equal({
          app: 'engine',
          'part-of': 'tidemark',
          'azure.workload.identity/use': 'true',
        })
        expect(engine.spec).to.deep.include({
          serviceAccountName: 'tidemark',
          imagePullSecrets: [{ name: 'registry' }],
          automountServiceAccountToken: false,
        })
        expect(engine.spec.containers[0]).not.to.have.property('startupProbe')
        expect(engine.spec.containers[0].resources.limits).to.deep.equal({ cpu: '2', memory: '4Gi' })
        expect(made['ConfigMap tidemark'].data).to.include({ AWS_REGION: 'eu-west-1', LOG_LEVEL: 'info' })
        expect(made['ServiceAccount tidemark'].metadata.annotations).to.deep.equal({ role: 'arn' })
        const selector = { matchLabels: { app: 'engine' } }
        expect(made['PodDisruptionBudget engine'].spec).to.deep.equal({ minAvailable: '50%', selector })
        const { template, volumeClaimTemplates } = made['StatefulSet nats'].spec
        expect(template.spec).to.deep.include({
          nodeSelector: { pool: 'stores' },
          tolerations: [{ key: 'stores', operator: 'Exists' }],
          topologySpreadConstraints: [zone],
        })
        expect(template.spec.volumes[1].secret).to.deep.equal({ secretName: 'users' })
        expect(template.spec.containers[0].env[1].valueFrom.secretKeyRef.name).to.equal('passwords')
        expect(volumeClaimTemplates[0].spec).to.deep.equal({
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '80Gi' } },
          storageClassName: 'fast',
        })
      })

      it('scales engines by lag, with an adapter or KEDA, and leaves their number to it', () => {
        const scaled = (kind: string) =>
          renderedWith({ engine: { autoscaling: { kind } }, postgres: { maxConnections: 400 } })
        const hpa = scaled('hpa')
        expect(hpa['Deployment engine'].spec).not.to.have.property('replicas')
        expect(hpa['HorizontalPodAutoscaler engine'].spec.metrics).to.deep.equal([
          {
            type: 'External',
            external: {
              metric: { name: 'tidemark_lag_messages' },
              target: { type: 'AverageValue', averageValue: '50000' },
            },
          },
        ])
        const { minReplicaCount, maxReplicaCount, triggers } = scaled('keda')['ScaledObject engine'].spec
        expect([minReplicaCount, maxReplicaCount, triggers[0].metadata.threshold]).to.deep.equal([2, 4, '50000'])
      })

      it('refuses more engines and edges than PostgreSQL has connections for', () => {
        // (4 + 1) x 33 + (4 + 1) x 32 + 10 = 335
        expect(() => renderedWith({ engine: { autoscaling: { kind: 'hpa' } } })).to.throw('must be at least 335')
        expect(() => renderedWith({ engine: { replica: 3 } })).to.throw('replica')
      })

      it("has operators' resources in place of the single servers, under the same service names", () => {
        const made = renderedWith(operators)
        const names = Object.keys(made)
        expect(names).not.to.include.oneOf(['StatefulSet postgres', 'StatefulSet clickhouse', 'Service clickhouse'])
        const { spec } = made['Cluster postgres']
        expect(spec.managed.services.additional[0].serviceTemplate.metadata.name).to.equal('postgres')
        expect(spec).to.deep.include({ instances: 3, storage: { size: '70Gi', storageClass: 'fast' } })
        expect(spec.inheritedMetadata.labels).to.deep.equal({ app: 'postgres' })
        const { templates, configuration } = made['ClickHouseInstallation clickhouse'].spec
        expect(templates.serviceTemplates[0].generateName).to.equal('clickhouse')
        const [server] = (loadAll(manifest('clickhouse.yaml')) as any[]).filter(({ kind }) => kind === 'StatefulSet')
        const [own] = templates.podTemplates[0].spec.containers
        expect(own.resources).to.deep.equal(server.spec.template.spec.containers[0].resources)
        expect(own.volumeMounts).to.deep.equal([{ name: 'data', mountPath: '/var/lib/clickhouse' }])
        expect(configuration.users['tidemark/password'].valueFrom.secretKeyRef.name).to.equal('stores')
      })

      deepIt('makes only what the API of Kubernetes knows', function () {
        if (!has('kubernetes-validate')) this.skip()
        this.timeout(120_000)
        // Resources of operators and of Prometheus are not of Kubernetes itself.
        const own = /^(Cluster|ClickHouseInstallation|PrometheusRule|ScaledObject) /
        const all = [
          rendered(),
          renderedWith({ ...operators, engine: { autoscaling: { kind: 'hpa' } }, postgres: { maxConnections: 400 } }),
          renderedWith({
            ingress: { enabled: true },
            serviceAccount: { create: true },
            egress: [{ to: [{ podSelector: {} }] }],
          }),
        ]
        const file = `${dir}.objects.json`
        const validate = (made: Record<string, any>) => {
          const list = Object.entries(made).flatMap(([name, one]) => (own.test(name) ? [] : [JSON.stringify(one)]))
          writeFileSync(file, list.join('\n---\n'))
          return spawnSync('kubernetes-validate', ['--strict', '--quiet', file], { encoding: 'utf8' })
        }
        for (const made of all) {
          const { status, stdout, stderr } = validate(made)
          expect(status, stdout + stderr).to.equal(0)
        }
        const [wrong] = all
        wrong!['Deployment engine'].spec.template.spec.nodeSelectors = {}
        expect(validate(wrong!).status).not.to.equal(0)
        rmSync(file)
      })
    })
})
